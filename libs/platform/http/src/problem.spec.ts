import {
  HttpException,
  InternalServerErrorException,
  NotFoundException,
  ServiceUnavailableException,
} from '@nestjs/common';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { DatabaseUnavailableError } from '@platform/database';
import { type CustomerErrorCode as ErrorCode, errorCatalog, problemType, ServiceError } from '@platform/errors';
import { problemOf } from './problem';

const failed = (code: string) =>
  new QueryFailedError('select secret', ['parameter'], Object.assign(new Error('driver'), { code }));

describe('problem details', () => {
  it.each(Object.keys(errorCatalog) as ErrorCode[])('have the status, title and type of %s', (code) => {
    const { status, body } = problemOf(new ServiceError(code, 'What went wrong'), 'id');
    expect(status).toBe(errorCatalog[code].status);
    expect(body).toEqual({
      type: problemType(code),
      title: errorCatalog[code].title,
      status,
      detail: 'What went wrong',
      code,
      request_id: 'id',
    });
  });

  it.each<[string, unknown, ErrorCode]>([
    ['an error of our own code', new TypeError('x is undefined'), 'internal_error'],
    ['what is no error', 'text', 'internal_error'],
    ['nothing', undefined, 'internal_error'],
    ['a refused statement', failed('42601'), 'internal_error'],
    ['a broken rule of the database', failed('23514'), 'internal_error'],
    ["Nest's own 500", new InternalServerErrorException('secret'), 'internal_error'],
    ['an unknown status of Nest', new HttpException('secret', 418), 'internal_error'],
    ['an unknown address', new NotFoundException('Cannot GET /secret'), 'not_found'],
    ['a failed health check', new ServiceUnavailableException({ secret: true }), 'service_unavailable'],
    ['a database that is away', new DatabaseUnavailableError(), 'service_unavailable'],
    ['a database that stops', failed('57P01'), 'service_unavailable'],
    ['a statement that took too long', failed('57014'), 'service_unavailable'],
    ['too many connections', failed('53300'), 'service_unavailable'],
    ['a lost connection', Object.assign(new Error('read'), { code: 'ECONNRESET' }), 'service_unavailable'],
    ['a connection lost between statements', new QueryRunnerAlreadyReleasedError(), 'service_unavailable'],
    [
      'all addresses of a host refused',
      new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })]),
      'service_unavailable',
    ],
  ])('reveal no details of %s', (_name, error, code) => {
    const { body } = problemOf(error, 'id');
    expect(body.code).toBe(code);
    expect(JSON.stringify(body)).not.toMatch(/secret|driver|parameter|undefined|stack/);
  });

  it.each<[string, ServiceError, Record<string, string>]>([
    ['no credentials', new ServiceError('unauthorized', 'd'), { 'www-authenticate': 'Bearer' }],
    [
      'a bad token',
      new ServiceError('unauthorized', 'd', { bearer: { error: 'invalid_token' } }),
      { 'www-authenticate': 'Bearer error="invalid_token"' },
    ],
    [
      'a missing scope',
      new ServiceError('insufficient_scope', 'd', { bearer: { error: 'insufficient_scope', scope: 'ai:use' } }),
      { 'www-authenticate': 'Bearer error="insufficient_scope", scope="ai:use"' },
    ],
    ['a reached limit', new ServiceError('rate_limited', 'd', { retryAfterSeconds: 7 }), { 'retry-after': '7' }],
    ['anything else', new ServiceError('not_found', 'd'), {}],
  ])('come with the headers of RFC 6750 and RFC 9110: %s', (_name, error, headers) => {
    expect(problemOf(error, 'id').headers).toEqual(headers);
  });
});
