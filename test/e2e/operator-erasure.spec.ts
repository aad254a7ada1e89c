import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

jest.setTimeout(120_000);
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
});
