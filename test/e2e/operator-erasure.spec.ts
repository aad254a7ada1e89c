import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

jest.setTimeout(240_000);
const database = useTestDatabase();

describe("A customer's data", () => {
  const run = (...words: string[]) => operatorCommand(database, ['customer', ...words]);

  it('is exported as one JSON value, and erased only with --yes', async () => {
    const { id, name } = await saveFakeCustomer(database.superuser);
    const data = JSON.parse((await run('export', '--customer', id)).stdout) as Record<string, object[]>;
    expect(data.customer).toMatchObject([{ id, name }]);
    expect(await run('erase', '--customer', id)).toMatchObject({ code: 8, stdout: '' });
    expect(await run('erase', '--customer', id, '--yes')).toMatchObject({ code: 4 });
    await run('deactivate', '--customer', id);
    expect(await run('erase', '--customer', id, '--dry-run')).toMatchObject({ code: 0 });
    const again = JSON.parse((await run('export', '--customer', id)).stdout) as Record<string, object[]>;
    expect(again.customer).toMatchObject([{ name }]);
    const erased = await run('erase', '--customer', id, '--yes', '--json');
    expect(JSON.parse(erased.stdout)).toContainEqual({ table: 'customer', rows: 1, done: 'blanked' });
    const { rows } = await database.superuser.query('select name from customer where id = $1', [id]);
    expect(rows).not.toEqual([{ name }]);
  });

  it('that is erased in part says by which number the erasure goes on, as the name is gone', async () => {
    const { id, name, customerNumber } = await saveFakeCustomer(database.superuser, { active: false });
    await database.superuser.query('revoke delete on support_ticket from account_operator');
    const { code, stderr } = await run('erase', '--customer', name, '--yes');
    await database.superuser.query('grant delete on support_ticket to account_operator');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('permission denied') });
    expect(await run('erase', '--customer', name, '--yes')).toMatchObject({ code: 3 });
    const words = /operator customer (erase --customer \S+)/.exec(stderr)?.[1]?.split(' ') ?? [];
    expect(words.at(-1)).toBe(customerNumber);
    expect(await run(...words, '--yes')).toMatchObject({ code: 0 });
    expect((await database.superuser.query('select name from customer where id = $1', [id])).rows).toEqual([
      { name: `Erased customer ${customerNumber}` },
    ]);
  });

  it('that is erased in part, as the database went away, says so', async () => {
    const { customerNumber } = await saveFakeCustomer(database.superuser, { active: false });
    await database.superuser.query(`
      create function end_connection() returns trigger language plpgsql security definer as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return old; end $$;
      create trigger end_connection before delete on support_ticket for each statement execute function end_connection()`);
    const { code, stderr } = await run('erase', '--customer', customerNumber, '--yes');
    await database.superuser.query('drop function end_connection cascade');
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(
        `^Only a part is erased: the database does not answer. .* operator customer erase --customer ${customerNumber}\n$`,
      ),
    });
  });
});
