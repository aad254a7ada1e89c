import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { compileCache } from '@test/compile-cache';
import { createApiLogin } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';

const PROGRAMS = {
  API: 'customer-api/src/main.js',
  worker: 'worker/src/main.js',
  'operator API': 'operator-api/src/main.js',
};

/** Starts a compiled program that must refuse to start. @returns its exit code and its standard error */
async function start(program: keyof typeof PROGRAMS, settings: Record<string, string>) {
  const { PATH } = process.env;
  const ports = { PORT: '0', INTERNAL_PORT: '0', OPERATOR_PORT: '0' };
  const child = fork(join(process.cwd(), 'dist', 'apps', PROGRAMS[program]), [], {
    env: { PATH, NODE_ENV: 'test', LOG_LEVEL: 'silent', ...ports, ...compileCache, ...settings },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
  });
  // A program that runs all the same is stopped.
  child.on('message', () => child.kill());
  const [stderr, [code]] = await Promise.all([text(child.stderr as NodeJS.ReadableStream), once(child, 'close')]);
  return { code: code as number, stderr };
}

const database = useTestDatabase();

describe.each(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])('the %s', (program) => {
  const refusal = async (settings: Record<string, string>) => {
    const { code, stderr } = await start(program, settings);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    return stderr;
  };

  it('refuses a database without a schema', async () => {
    const url = database.url.replace(/\/[^/]+$/, '/postgres');
    expect(await refusal({ DATABASE_URL: url })).toMatch(/^The database is not migrated/);
  });

  it('refuses a database whose role may make temporary objects', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await database.superuser.query(`grant temporary on database ${name} to public`);
    expect(await refusal({ DATABASE_URL: database.url })).toMatch(/may create objects .*: run the migrations/);
    await database.superuser.query(`revoke temporary on database ${name} from public`);
  });

  it('refuses a database whose months and days are those of another time zone', async () => {
    const said = await refusal({ DATABASE_URL: database.url, BILLING_TIMEZONE: 'America/New_York' });
    expect(said).toMatch(
      /^BILLING_TIMEZONE is America\/New_York, .* are those of Europe\/Oslo: set BILLING_TIMEZONE=Europe\/Oslo for all programs/,
    );
  });

  it('says in one line that its login may not take its role', async () => {
    const login = new URL(await createApiLogin(database));
    await database.superuser.query(`revoke customer_api from ${login.username}`);
    expect(await refusal({ DATABASE_URL: login.href })).toMatch(
      /^The login in DATABASE_URL lacks a right: permission denied to set role "(customer_api|account_operator)"/,
    );
  });

  it('says in plain words which settings are wrong, a line each', async () => {
    const settings = { DATABASE_URL: database.url, PORT: 'abc', DATABASE_POOL_SIZE: '0', SHUTDOWN_GRACE_MS: '1.5' };
    const { code, stderr } = await start(program, settings);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').sort()).toEqual([
      'DATABASE_POOL_SIZE: must be a whole number from 1 to 2147483647',
      'PORT: must be a port number from 0 to 65535',
      'SHUTDOWN_GRACE_MS: must be a whole number from 0 to 1000000000',
    ]);
  });
});
