import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

jest.setTimeout(240_000);
const database = useTestDatabase();

describe('Customers from a file', () => {
  const importFrom = async (input: string, ...words: string[]) => {
    const { code, stdout, stderr } = await operatorCommand(
      database,
      ['customer', 'import', '--file', '-', '--json', ...words],
      { input },
    );
    return { code, stderr, report: stdout === '' ? [] : (JSON.parse(stdout) as { result: string }[]) };
  };
  const count = async () =>
    (await database.superuser.query<{ n: number }>('select count(*)::int as n from customer')).rows[0]?.n;
  const audited = async () =>
    (await database.superuser.query(`select from audit_log where action = 'customer.create'`)).rowCount;

  const GOOD = [
    '\uFEFFName;Org number;E-mail'.replace('E-mail', 'email') + ';customer_number',
    '"Fjord; & Fjell AS";974 760 673;it@fjord.example;F-1',
    'Lys AS;123456785;post@lys.example;',
  ].join('\r\n');

  it('are added all at once, with a line of the report and an audit entry for each', async () => {
    const dry = await importFrom(GOOD, '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      report: [
        { line: 2, result: 'valid' },
        { line: 3, result: 'valid' },
      ],
    });
    expect(await count()).toBe(0);
    const { code, report } = await importFrom(GOOD);
    expect({ code, report }).toMatchObject({
      code: 0,
      report: [
        { line: 2, result: 'created', customer_number: 'F-1', name: 'Fjord; & Fjell AS', problem: null },
        { line: 3, result: 'created', customer_number: expect.stringMatching(/^\d+$/), name: 'Lys AS' },
      ],
    });
    expect([await count(), await audited()]).toEqual([2, 2]);
  });

  it('are refused the second time, each with the reason', async () => {
    const { code, report } = await importFrom(GOOD);
    expect({ code, report }).toMatchObject({
      code: 1,
      report: [
        { result: 'refused', problem: 'The customer number F-1 is taken' },
        { result: 'refused', problem: 'There is a customer with the organisation number 123456785' },
      ],
    });
    expect(await count()).toBe(2);
  });

  it('are not added if one line is refused', async () => {
    const { code, report } = await importFrom(
      [
        'name,org_number,email,customer_number',
        'Good AS,987654325,a@b.example,G-1',
        'Bad AS,1,a@b.example,',
        'Worse AS,889640782,nobody,',
        ',971032081,a@b.example,',
      ].join('\n'),
    );
    expect({ code, report }).toMatchObject({
      code: 1,
      report: [
        { result: 'not created', problem: null },
        { result: 'refused', problem: '1 is not an organisation number (nine digits, MOD11)' },
        { result: 'refused', problem: 'nobody is not an e-mail address' },
        { result: 'refused', problem: 'The name must have 1 to 200 characters, not 0' },
      ],
    });
    expect(await count()).toBe(2);
  });

  it('are checked against each other', async () => {
    const { report } = await importFrom(
      'name,org_number,email,customer_number\nA,987654325,a@b.example,X\nB,987654325,a@b.example,\nC,889640782,a@b.example,X\n',
      '--dry-run',
    );
    expect(report.map(({ result }) => result)).toEqual(['valid', 'refused', 'refused']);
  });

  it('get numbers that nobody has', async () => {
    const { rows } = await database.superuser.query<{ next: string }>(
      `select (last_value + 1)::text as next from customer_number_seq`,
    );
    const taken = rows[0]?.next ?? '';
    const { report } = await importFrom(
      `name,org_number,email,customer_number\nA,987654325,a@b.example,${taken}\nB,889640782,a@b.example,\n`,
    );
    expect(report).toMatchObject([{ customer_number: taken }, { customer_number: String(Number(taken) + 1) }]);
  });

  it('get no number that a later line of the file has', async () => {
    const { rows } = await database.superuser.query<{ next: number }>(
      `select nextval('customer_number_seq')::int + 1 as next`,
    );
    const next = rows[0]?.next ?? 0;
    const { code, report } = await importFrom(
      `name,org_number,email,customer_number\nA,971032081,a@b.example,\nB,914778271,a@b.example,${next}\nC,983163327,a@b.example,${next + 1}\n`,
    );
    expect({ code, report }).toMatchObject({
      code: 0,
      report: [
        { customer_number: String(next + 2) },
        { customer_number: String(next) },
        { customer_number: String(next + 1) },
      ],
    });
  });

  it.each([
    ['name,email\nA,a@b.example\n', 'names no column org_number'],
    ['name,org_number,email,password\n', 'Unknown column password'],
    ['name,name,org_number,email\nA,B,1,x\n', 'twice'],
    ['name,org_number,email\n', 'no customer'],
    ['name,org_number,email\nA,1,a,b\n', 'Line 2 has more cells'],
    ['name,org_number,email\n"A,1,a\n', 'Line 2'],
    ['', 'names no column name'],
  ])('are not read from %j', async (text, message) => {
    expect(await importFrom(text)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('may be of a company whose former customer was erased', async () => {
    await saveFakeCustomer(database.superuser, { organizationNumber: '889640782', active: false });
    await database.superuser.query(`update customer set erased_at = now() where organization_number = '889640782'`);
    const { code, report } = await importFrom('name,org_number,email\nNAV AS,889640782,a@nav.example');
    expect({ code, report }).toMatchObject({ code: 0, report: [{ result: 'created' }] });
  });

  it('are not read from a file in another encoding', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'customer-account-service-import-'));
    const file = join(folder, 'customers.csv');
    await writeFile(file, Buffer.from('name,org_number,email\nBlåbær AS,974760673,a@b.example\n', 'latin1'));
    const { code, stderr } = await operatorCommand(database, ['customer', 'import', '--file', file, '--yes']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'The file is not in UTF-8: save it as "CSV UTF-8"\n' });
    await rm(folder, { recursive: true });
  });

  it('are not read from a file that is not there', async () => {
    const { code, stderr } = await operatorCommand(database, ['customer', 'import', '--file', '/no/such.csv']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'The file cannot be read: ENOENT\n' });
  });
});
