import { ConfigError } from '@platform/config';
import { NotMigratedError, TablesInUseError, UnfitDatabaseError, UnknownSchemaError } from '@platform/database';
import { explainStartFailure } from './explain-start-failure';

const failure = (code: string, details: object = {}) =>
  Object.assign(new Error(`failed: ${code}`), { code, ...details });

describe('a process that cannot start says', () => {
  it.each<[Error, string]>([
    [
      failure('EADDRINUSE', { port: 3001 }),
      'Port 3001 is taken: stop the program that listens on it, or set another (PORT, OPERATOR_PORT, ',
    ],
    [failure('EACCES', { port: 80 }), 'Port 80 may not be used by this user'],
    [
      failure('EADDRNOTAVAIL', { syscall: 'listen', address: '10.0.0.5', port: 3000 }),
      'Nothing can listen at 10.0.0.5, port 3000 (EADDRNOTAVAIL): set another address (HOST, OPERATOR_HOST, ',
    ],
    [failure('ECONNREFUSED', { address: '10.0.0.5', port: 5432 }), 'The database does not answer at 10.0.0.5:5432'],
    [failure('28P01'), 'The database refuses the user or password in DATABASE_URL'],
    [failure('28000'), 'The database refuses the user or password in DATABASE_URL'],
    [failure('3D000'), 'The database named in DATABASE_URL does not exist'],
    [new NotMigratedError(), 'The database is not migrated'],
    [failure('22023'), 'The database is not migrated'],
    [failure('42704'), 'The database is not migrated'],
    [failure('42501'), 'The login in DATABASE_URL lacks a right: failed: 42501'],
    [failure('57P03'), 'The database does not answer (DATABASE_URL): failed: 57P03'],
    [new AggregateError([failure('3D000'), failure('28P01')]), 'The database named in DATABASE_URL does not exist'],
  ])('what is to be done: %s', (error, text) => {
    const said = explainStartFailure(error);
    expect(said).toContain(text);
    expect(said).not.toContain('    at ');
  });

  it.each([
    ['UnfitDatabaseError', new UnfitDatabaseError('The database role is a, not b')],
    ['UnknownSchemaError', new UnknownSchemaError('table other')],
    ['TablesInUseError', new TablesInUseError(new Error('lock timeout'))],
    ['ConfigError', new ConfigError('PORT: not a number')],
  ])('no more than a fault that is known: %s', (_, error) => expect(explainStartFailure(error)).toBe(error.message));

  it('that an address is not known', () => {
    expect(explainStartFailure(failure('EADDRINUSE'))).toContain('Port ? is taken');
    expect(explainStartFailure(failure('ECONNREFUSED'))).toContain('does not answer at ?:? (DATABASE_URL)');
  });

  it.each([
    ['one that no rule is for', new Error('odd')],
    ['a file that may not be read', failure('EACCES', { path: '/etc/secret' })],
    ['several, of which none is known', new AggregateError([], 'odd')],
  ])('where an unknown error came from: %s', (_, error) => {
    expect(explainStartFailure(error)).toMatch(/^\w*Error: (odd|failed: EACCES)\n {4}at /);
  });

  it('what was thrown if that is no error', () => expect(explainStartFailure('odd')).toBe('odd'));
});
