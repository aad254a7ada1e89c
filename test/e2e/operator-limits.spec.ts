import { randomBytes, randomUUID } from 'node:crypto';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeService } from '@test/factories/service.factory';
import { saveFakeEndpoint } from '@test/factories/webhook.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

const ADD_INVOICE =
  'invoice add --customer CUSTOMER --amount-nok 100 --issue-date 2027-01-15 --due-date 2027-01-29 --number';
const CREATE_CUSTOMER = 'customer create --org-number 974760673 --email it@fjordlys.example';
const CONFIGURE_AI = 'ai configure --customer CUSTOMER';
const THRESHOLDS = 'The thresholds must be a list of one to five different whole numbers from 1 to 99';
/** The field of an endpoint's description is optional, with the empty text for none. */
const DESCRIPTION = { min: 0, max: 255 };

const database = useTestDatabase();

describe('What an operator gives', () => {
  const environment = { SECRETS_KEY: randomBytes(32).toString('base64') };
  /** Records by the words that stand for them in a command. */
  const records: Record<string, string> = {};
  beforeAll(async () => {
    const { superuser } = database;
    const { id } = await saveFakeCustomer(superuser);
    const idOf = async (sql: string, values: string[]) =>
      String((await superuser.query<{ id: string | number }>(sql, values)).rows[0]!.id);
    records.CUSTOMER = id;
    records.SERVICE = String((await saveFakeService(superuser, id)).id);
    records.ENDPOINT = await saveFakeEndpoint(superuser, id);
    records.TICKET = await idOf(
      `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'Slow', 'Very slow') returning id`,
      [id, randomUUID()],
    );
    records.REQUEST = await idOf(
      'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 500, now()) returning id',
      [id],
    );
  });

  const run = (line: string, last: string[] = [], input?: string) =>
    operatorCommand(database, [...line.split(' ').map((word) => records[word] ?? word), ...last], {
      environment,
      input,
    });
  const stored = async () => (await database.superuser.query('select count(*)::int from audit_log')).rows;
  const expectRefusal = async (message: string, ...given: Parameters<typeof run>) => {
    const before = await stored();
    const { code, stdout, stderr } = await run(...given);
    expect({ code, stdout, stderr }).toEqual({ code: 4, stdout: '', stderr: expect.stringContaining(message) });
    expect(await stored()).toEqual(before);
  };

  it.each<[line: string, subject: string, length: { min: number; max: number }]>([
    ['ticket reply --ticket TICKET --body', 'The reply', { min: 1, max: 5000 }],
    ['ticket note --ticket TICKET --body', 'The note', { min: 1, max: 5000 }],
    ['credit-request reject --id REQUEST --yes --reason', 'The reason', { min: 1, max: 1000 }],
    ['credit-request approve --id REQUEST --yes --invoice-number', 'The number', { min: 1, max: 100 }],
    ['ai credit --customer CUSTOMER --kind refund --amount-nok 1 --yes --note', 'The note', { min: 1, max: 1000 }],
    ['status post --service SERVICE --status outage --message', 'The message', { min: 1, max: 2000 }],
    ['status post --type hosting --status outage --yes --message', 'The message', { min: 1, max: 2000 }],
    ['service add --customer CUSTOMER --name Web --type', 'The type', { min: 1, max: 100 }],
    ['service add --customer CUSTOMER --type hosting --name', 'The name', { min: 1, max: 200 }],
    ['service update --service SERVICE --name', 'The name', { min: 1, max: 200 }],
    [ADD_INVOICE, 'The number', { min: 1, max: 100 }],
    [`${ADD_INVOICE} 2027-1 --kid`, 'The KID', { min: 1, max: 25 }],
    ['webhook add --url http://10.0.0.7:8080/hooks --description', 'The description', DESCRIPTION],
    ['webhook change --endpoint ENDPOINT --description', 'The description', DESCRIPTION],
    ['customer change --customer CUSTOMER --name', 'The name', { min: 1, max: 200 }],
    [`${CREATE_CUSTOMER} --name`, 'The name', { min: 1, max: 200 }],
    [`${CREATE_CUSTOMER} --name A --customer-number`, 'The customer number', { min: 1, max: 50 }],
  ])('is a text of a limited length: %s', async (line, subject, { min, max }) => {
    const allowed = min === 0 ? `at most ${max}` : `${min} to ${max}`;
    await expectRefusal(`${subject} must have ${allowed} characters, not ${max + 1}`, line, ['x'.repeat(max + 1)]);
    await expectRefusal(`${subject} must have ${allowed} characters\n`, line, ['x'.repeat(2 * max + 1)]);
    if (min > 0) await expectRefusal(`${subject} must not be blank`, line, [' ']);
  });

  it('may have as many characters as it is said, of which an emoji is one', async () => {
    const { code, stdout } = await run('service update --service SERVICE --json --name', ['😀'.repeat(200)]);
    expect({ code, name: (JSON.parse(stdout) as { name: string }).name }).toEqual({ code: 0, name: '😀'.repeat(200) });
  });

  it('may have been stored before without its limits: other changes of the record succeed', async () => {
    const { superuser } = database;
    const { id } = await saveFakeCustomer(superuser);
    await superuser.query('update customer set name = $2 where id = $1', [id, 'x'.repeat(201)]);
    expect(await run(`customer change --customer ${id} --email ny@fjordlys.example`)).toMatchObject({ code: 0 });
    const service = await saveFakeService(superuser, id);
    await superuser.query(
      `update customer_service set type = 'ai', config = '{"monthly_included_nok":"100"}' where id = $1`,
      [service.id],
    );
    const update = `service update --service ${service.id}`;
    expect(await run(`${update} --status suspended`)).toMatchObject({ code: 0 });
    await expectRefusal('monthly_included_nok must be a number', `${update} --config`, [
      '{"monthly_included_nok":"100"}',
    ]);
  });

  it.each<[line: string, last: string[], message: string]>([
    [
      'service add --customer CUSTOMER --type hosting --name Web --config',
      [JSON.stringify({ text: 'x'.repeat(20_000) })],
      'The config must have at most 20000 characters as JSON',
    ],
    [
      'service update --service SERVICE --config',
      [JSON.stringify({ text: 'x'.repeat(20_000) })],
      'The config must have at most 20000 characters as JSON',
    ],
    [
      'service update --service SERVICE --config',
      [JSON.stringify({ text: '\0' })],
      'The config must not contain the null character',
    ],
    [
      'invoice add --customer CUSTOMER --number 2027-2 --amount-nok 100 --issue-date 2027-01-15 --due-date 2027-01-14',
      [],
      'The due date must not be before the issue date',
    ],
    [
      'invoice add --customer CUSTOMER --number 2027-3 --issue-date 2027-01-15 --due-date 2027-01-15 --amount-nok',
      ['1000000000.01'],
      'The amount of an invoice is 1000000000 NOK at most',
    ],
    [
      `${ADD_INVOICE} 2027-4 --pdf-url`,
      [`https://example.com/${'x'.repeat(2000)}`],
      'The link to the PDF must have at most 2000 characters, not 2020',
    ],
    [
      `${ADD_INVOICE} 2027-5 --hosted-url`,
      [`https://example.com/${'x'.repeat(2000)}`],
      'The address of the page must have at most 2000 characters, not 2020',
    ],
    [CONFIGURE_AI, ['--credit-thresholds', '0,50'], THRESHOLDS],
    [CONFIGURE_AI, ['--credit-thresholds', '50,100'], THRESHOLDS],
    [CONFIGURE_AI, ['--credit-thresholds', '50,50'], THRESHOLDS],
    [CONFIGURE_AI, ['--credit-thresholds', '1.5'], THRESHOLDS],
    [CONFIGURE_AI, ['--credit-thresholds', '1,2,3,4,5,6'], THRESHOLDS],
    [CONFIGURE_AI, ['--credit-thresholds', 'half'], THRESHOLDS],
  ])('has the form that it must have: case %#, %s', async (line, last, message) => {
    await expectRefusal(message, line, last);
  });

  it.each([
    ['of 7 characters', 'k'.repeat(7)],
    ['of 501 characters', 'k'.repeat(501)],
    ['of two words', 'key of-the-customer'],
    ['with a letter that no key has', 'nøkkel-for-kunden'],
  ])('is a provider key: not one %s', async (_, key) => {
    await expectRefusal('The key must be one word of 8 to 500 characters', `${CONFIGURE_AI} --key-stdin`, [], key);
  });

  it('is a provider key: not nothing', async () => {
    const { code, stderr } = await run(`${CONFIGURE_AI} --key-stdin`, [], ' \n');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Standard input contains no key')]);
  });
});
