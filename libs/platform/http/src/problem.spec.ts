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

/** As Node and Fastify raise them. */
const coded = (code: string) => Object.assign(new Error('secret'), { code });
/** As the library raises them that serves files. */
const exposed = (status: number, expose = true) => Object.assign(new Error('secret'), { status, expose });

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
    ['a status that is not for the caller', exposed(404, false), 'internal_error'],
    ['a status that nobody gave for the caller', Object.assign(new Error('secret'), { status: 404 }), 'internal_error'],
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

  it.each<[string, unknown, ErrorCode, string]>([
    ['bytes that are no HTTP', coded('MALFORMED_HTTP'), 'invalid_request', 'The request is not valid HTTP'],
    [
      'too many headers',
      coded('HPE_HEADER_OVERFLOW'),
      'headers_too_large',
      'The address and the headers have more than 16 KB together',
    ],
    ['a slow request', coded('ERR_HTTP_REQUEST_TIMEOUT'), 'request_timeout', 'The request did not arrive in time'],
    ['an unknown address', new NotFoundException('secret'), 'not_found', 'There is nothing at this address'],
    ['a bad request of Nest', new HttpException('secret', 400), 'invalid_request', 'The request is not valid'],
    ['a path that leaves its folder', exposed(403), 'forbidden', 'Nothing is served at such an address'],
    [
      'a file that has changed',
      exposed(412),
      'precondition_failed',
      'The file has changed: it does not meet If-Match or If-Unmodified-Since',
    ],
    [
      'a range behind the end',
      exposed(416),
      'range_not_satisfiable',
      'The file has no bytes in the range that Range names',
    ],
    ['a database that is away', new DatabaseUnavailableError(), 'service_unavailable', 'Try again in a moment'],
    ['a failed health check', new ServiceUnavailableException(), 'service_unavailable', 'Try again in a moment'],
  ])('say what the fault of %s is', (_name, error, code, detail) => {
    const { status, body } = problemOf(error, 'id');
    expect({ status, code: body.code, detail: body.detail }).toEqual({
      status: errorCatalog[code].status,
      code,
      detail,
    });
  });

  it('ask to try again in a second while the database is away', () => {
    expect(problemOf(new DatabaseUnavailableError(), 'id').headers).toEqual({ 'retry-after': '1' });
  });

  it('point at the faulty fields, and keep to themselves what is not for the caller', () => {
    const errors = [{ pointer: '/title', detail: 'must not be empty' }];
    const upstream = { status: 400, errorCode: 'secret' };
    const error = new ServiceError('invalid_request', 'd', { errors, upstream, retry: 'only_with_key' });
    const problem = problemOf(error, 'id');
    expect(problem).toMatchObject({ upstream, retry: 'only_with_key', body: { errors } });
    expect(JSON.stringify(problem.body)).not.toMatch(/secret|only_with_key/);
    expect(Object.keys(problemOf(new ServiceError('not_found', 'd'), 'id'))).toEqual(['status', 'headers', 'body']);
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
