import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

jest.setTimeout(240_000);
const database = useTestDatabase();

describe('The operator names customers as people do', () => {
  const show = (customer: string, ...more: string[]) =>
    operatorCommand(database, ['customer', 'show', '--customer', customer, ...more]);
  const shown = async (customer: string) => (JSON.parse((await show(customer, '--json')).stdout) as { id: string }).id;
  const save = async (name: string, customerNumber?: string) => {
    const { id } = await saveFakeCustomer(database.superuser);
    await database.superuser.query(
      'update customer set name = $2, customer_number = coalesce($3, customer_number) where id = $1',
      [id, name, customerNumber],
    );
    return id;
  };

  it('by number, id, and whole name in any letters', async () => {
    const id = await save('Fjordlys AS', 'K-7');
    for (const text of [id, id.toUpperCase(), 'K-7', 'Fjordlys AS', 'fjordlys as', ' Fjordlys AS '])
      expect({ text, id: await shown(text) }).toEqual({ text, id });
  });

  it('by a number before a name that looks like it', async () => {
    const id = await save('Numbered', '4711');
    await save('4711');
    expect(await shown('4711')).toBe(id);
  });

  it('and is asked which one, if several have the name', async () => {
    const ids = [await save('Tvilling AS', 'T-1'), await save('Tvilling AS', 'T-2')];
    const { code, stdout, stderr } = await show('tvilling as', '--json');
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'ambiguous',
        message: expect.stringMatching(
          /^Several customers are called tvilling as; give a number:\n(.*\n)*.*T-2 {2}Tvilling AS/,
        ),
        exit_code: 6,
        candidates: ids.map((id, at) => ({ number: `T-${at + 1}`, name: 'Tvilling AS', id })),
      },
    });
  });

  it('and is shown whom a part of a name may mean, but nothing is done', async () => {
    const id = await save('Bergen 100% Kaffe AS');
    const part = await operatorCommand(database, ['customer', 'deactivate', '--customer', '100% kaffe']);
    expect(part).toMatchObject({ code: 6, stdout: '', stderr: expect.stringContaining('Bergen 100% Kaffe AS') });
    expect(part.stderr).toMatch(/^100% kaffe is no customer's number or whole name; did you mean:\n/);
    const { rows } = await database.superuser.query('select active from customer where id = $1', [id]);
    expect(rows).toEqual([{ active: true }]);
    expect(await show('100_ kaffe')).toMatchObject({ code: 3 });
  });

  it.each(['Nobody AS', '', '6b8f7f0a-4f0e-4a39-9d0c-7f0f3c2f8a11'])('and none by %j', async (text) => {
    expect(await show(text)).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('There is no customer'),
    });
  });

  it('in lists that are filtered, and reads their names in tables', async () => {
    const id = await save('Listet AS', 'L-1');
    await database.superuser.query(
      `insert into support_ticket (customer_id, id, title, body) values ($1, gen_random_uuid(), $2, 'x')`,
      [id, 'A long title '.repeat(12)],
    );
    const { stdout } = await operatorCommand(database, ['ticket', 'list', '--customer', 'L-1']);
    const [head = '', row = '', ...rest] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^customer_number +customer +title/);
    expect(row).toMatch(/^L-1 +Listet AS +A long title.*… +open/);
    // Columns that people copy are whole.
    expect(row).toMatch(/ [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}( |$)/);
    expect({ head: head.length <= 120, row: row.length <= 120, rest }).toEqual({ head: true, row: true, rest: [] });
    const csv = await operatorCommand(database, ['ticket', 'list', '--customer', 'Listet AS', '--csv']);
    expect(csv.stdout).toMatch(/^customer_number,customer,title,.*\r\nL-1,Listet AS,A long title/);
  });

  it('finds them by a part of their data, in portions', async () => {
    for (const number of ['P-1', 'P-2', 'P-3']) await save('Porsjon AS', number);
    const list = (...words: string[]) =>
      operatorCommand(database, ['customer', 'list', '--search', 'porsjon', ...words]);
    const first = await list('--limit', '2', '--json');
    expect(JSON.parse(first.stdout)).toMatchObject([{ customer_number: 'P-1' }, { customer_number: 'P-2' }]);
    expect(first.stderr).toContain('--after P-2');
    expect(JSON.parse((await list('--after', 'P-2', '--json')).stdout)).toMatchObject([{ customer_number: 'P-3' }]);
    expect((await list('--csv')).stdout.trimEnd().split('\r\n')).toHaveLength(4);
  });
});
