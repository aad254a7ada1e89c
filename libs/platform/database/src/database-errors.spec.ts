import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import {
  asUnavailable,
  isDatabaseUnavailable,
  isLockTimeout,
  isTransientFailure,
  OverloadedError,
} from './database-errors';

const server = (code: string, severity = 'ERROR') =>
  Object.assign(new DatabaseError('message', 7, 'error'), { code, severity });
const network = (code: string) => Object.assign(new Error('connect'), { code });

const AWAY: [string, unknown][] = [
  ...['08000', '08006', '08P01', '53000', '53100', '53200', '53300', '57P01', '57P02', '57P03', '57P05'],
  ...['57014', '58030', '25006', '25P03', '25P04'],
].map((code) => [code, server(code)]);

describe('a failure of the database', () => {
  it.each<[string, unknown]>([
    ...AWAY,
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'EHOSTUNREACH', 'EMFILE', 'ENFILE'].map(
      (code): [string, unknown] => [code, network(code)],
    ),
    ...[
      'timeout expired',
      'timeout exceeded when trying to connect',
      'Query read timeout',
      'Connection terminated',
      'Connection terminated unexpectedly',
      'Connection terminated due to connection timeout',
      'Client has encountered a connection error and is not queryable',
      'Client was closed and is not queryable',
      'Cannot use a pool after calling end on the pool',
    ].map((message): [string, unknown] => [message, new Error(message)]),
    ['whatever ends the connection', server('55000', 'FATAL')],
    ...['57P01', '53300', '28P01', '3D000'].map((code): [string, unknown] => [
      `${code} in another language`,
      server(code, 'SCHWERWIEGEND'),
    ]),
    ['through TypeORM', new QueryFailedError('select 1', [], server('57P01'))],
    ['of all addresses of a host', new AggregateError([network('ECONNREFUSED')])],
    ['for want of time', new OverloadedError()],
  ])('means that it is unavailable: %s', (_what, error) => {
    expect([isDatabaseUnavailable(error), isTransientFailure(error)]).toEqual([true, true]);
  });

  it('that means so has its cause with it, for the log; any other stays as it is', () => {
    const [away, ours] = [server('57P01'), server('23505')];
    expect(asUnavailable(away)).toMatchObject({ message: 'The database is unavailable', cause: away });
    expect(asUnavailable(ours)).toBe(ours);
  });

  it.each(['40001', '40P01', '55P03'])('caused by another transaction is transient: %s', (code) => {
    expect([isDatabaseUnavailable(server(code)), isTransientFailure(server(code))]).toEqual([false, true]);
  });

  it.each([
    ['55P03', true],
    ['40P01', true],
    ['40001', false],
  ])('of a lock that was not got: %s %s', (code, expected) => {
    expect(isLockTimeout(server(code))).toBe(expected);
  });

  it.each<[string, unknown]>([
    ...['23505', '23503', '42601', '42501', '22P02', 'P0001', 'XX000'].map((code): [string, unknown] => [
      code,
      server(code),
    ]),
    ['in another language', server('22P02', 'FEHLER')],
    ['of ours', new Error('The rows were not described: timeout expired')],
    ['of a file', network('EACCES')],
    ['nothing', undefined],
  ])('is our own fault: %s', (_what, error) => {
    expect(isTransientFailure(error)).toBe(false);
  });
});
