import { NotMigratedError } from '@platform/database';
import { explainStartFailure } from './explain-start-failure';

const failure = (code: string, details: object = {}) =>
  Object.assign(new Error(`failed: ${code}`), { code, ...details });

describe('a process that cannot start says', () => {
  it.each<[Error, string]>([
    [failure('EADDRINUSE', { port: 3000 }), 'Port 3000 is taken'],
    [failure('EACCES', { port: 80 }), 'Port 80 may not be used by this user'],
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

  it('where an unknown error came from', () => {
    expect(explainStartFailure(new Error('odd'))).toMatch(/^Error: odd\n {4}at /);
  });
});
