import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileCache } from '@test/compile-cache';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { connectAsSuperuser, createTestDatabase } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';

const MIGRATE = join(process.cwd(), 'dist', 'apps', 'operator', 'src', 'migrate.js');

// Programs are started one after the other, beside other specs.
jest.setTimeout(240_000);

const database = useTestDatabase();

describe('BILLING_TIMEZONE', () => {
  /** Runs the migrations. @returns the exit code, and all that they say */
  async function migrate(zone?: string, url = database.url) {
    const { PATH } = process.env;
    const env = { PATH, NODE_ENV: 'test', DATABASE_URL: url, ...compileCache };
    const run = promisify(execFile)(process.execPath, [MIGRATE], {
      env: zone ? { ...env, BILLING_TIMEZONE: zone } : env,
    });
    const ended = run.then(
      (said) => ({ ...said, code: 0 }),
      (error: unknown) => error as { code: number; stdout: string; stderr: string },
    );
    const { code, stdout, stderr } = await ended;
    return { code, said: stdout + stderr };
  }
  const command = (line: string, zone: string) =>
    operatorCommand(database, line.split(' '), { environment: { BILLING_TIMEZONE: zone } });
  const stored = async () => (await database.superuser.query<{ zone: string }>('select zone from billing_zone')).rows;

  it('is stored by the migrations, and no command runs before', async () => {
    await database.superuser.query('delete from billing_zone');
    expect(await command('customer list', 'Europe/Oslo')).toMatchObject({
      ...{ code: 9, stderr: expect.stringMatching(/^The database is not migrated: /) },
    });
    expect(await migrate()).toEqual({
      ...{
        code: 0,
        said: expect.stringMatching(/^Nothing to migrate\nMonths and days are those of Europe\/Oslo, .*\n$/),
      },
    });
    expect(await stored()).toEqual([{ zone: 'Europe/Oslo' }]);
    expect(await migrate()).toEqual({ code: 0, said: 'Nothing to migrate\n' });
  });

  it('does not keep the doctor from examining: it says what the programs refuse', async () => {
    const { code, stdout } = await command('doctor', 'UTC');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^database +failed +BILLING_TIMEZONE is UTC, /m);
    expect(stdout).toMatch(/^memory /m);
  });

  it('can be changed by the migrations as long as no AI credit was booked, and then no more', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const limit = `ai configure --customer ${id} --monthly-limit-nok 800`;
    expect(await command(limit, 'Europe/Oslo')).toMatchObject({ code: 0 });
    expect(await migrate('UTC')).toEqual({
      ...{
        code: 0,
        said: 'Nothing to migrate\nBILLING_TIMEZONE is now UTC, and was Europe/Oslo: restart all programs with it\n',
      },
    });
    expect(await migrate('UTC')).toEqual({ code: 0, said: 'Nothing to migrate\n' });
    const refund = `ai credit --customer ${id} --kind refund --amount-nok 1 --note goodwill`;
    expect(await command(refund, 'Europe/Oslo')).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(
        /^BILLING_TIMEZONE is Europe\/Oslo, .* are those of UTC: set BILLING_TIMEZONE=UTC /,
      ),
    });
    expect(await command(refund, 'UTC')).toMatchObject({ code: 0 });
    expect(await migrate('Europe/Oslo')).toEqual({
      code: 1,
      said:
        'BILLING_TIMEZONE is Europe/Oslo, but AI credit was booked by the months and days of UTC, which cannot be changed any more: ' +
        'set BILLING_TIMEZONE=UTC for all programs, and run the migrations again. If the programs always had Europe/Oslo, ' +
        'correct what is stored instead (docs/handbook/incidents.md)\n',
    });
    expect(await stored()).toEqual([{ zone: 'UTC' }]);
    expect(await migrate('UTC')).toEqual({ code: 0, said: 'Nothing to migrate\n' });
  });

  it('cannot be changed either when calls that cost nothing were counted by day', async () => {
    const other = await createTestDatabase();
    const superuser = await connectAsSuperuser(other);
    try {
      await superuser.query(
        `insert into ai_usage_day values (gen_random_uuid(), '2026-11-01', 'free', gen_random_uuid(), 1, 1, 0, 0, 0, 1, 0, 0, 0, 0)`,
      );
      expect(await migrate('UTC', other.url)).toMatchObject({ code: 1 });
      expect((await superuser.query('select zone from billing_zone')).rows).toEqual([{ zone: 'Europe/Oslo' }]);
    } finally {
      await superuser.end();
      await other.drop();
    }
  });

  it('is written by no login of the service', async () => {
    for (const role of ['customer_api', 'account_operator']) {
      await database.superuser.query(`set role ${role}`);
      expect(await stored()).toHaveLength(1);
      await expect(database.superuser.query(`update billing_zone set zone = 'UTC'`)).rejects.toThrow(
        'permission denied',
      );
      await database.superuser.query('reset role');
    }
  });
});
