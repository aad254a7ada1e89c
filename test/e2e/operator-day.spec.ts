import { randomUUID } from 'node:crypto';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { billingDay } from '@test/billing-days';
import { saveFakeUsage } from '@test/factories/ai-usage.factory';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();
const words = (line: string) => line.split(' ').map((word) => word.replaceAll('_', ' '));
const run = (line: string, options = {}) => operatorCommand(database, words(line), options);
const json = async <T>(line: string) => {
  const { code, stdout, stderr } = await run(`${line} --json`);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout) as T;
};
const number = async (id: string) =>
  (await database.superuser.query<{ n: string }>('select customer_number as n from customer where id = $1', [id]))
    .rows[0]!.n;

describe('What an operator has to do now and then', () => {
  it('a company is not added twice: the customer that has its organisation number is named', async () => {
    await json('customer create --name Havgløtt_AS --org-number 923609016 --email it@havglott.example');
    const [holder] = await json<{ customer_number: string }[]>('customer list --search Havgløtt');
    expect(
      await run('customer create --name Havglott --org-number 923609016 --email x@havglott.example'),
    ).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`is that of customer ${holder?.customer_number}, Havgløtt AS`),
    });
  });

  it("a customer's name and address are corrected, with an audit entry; nothing else is accepted", async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const other = await saveFakeCustomer(database.superuser);
    expect(await json(`customer change --customer ${id} --name Nytt_Navn_AS --email ny@navn.example`)).toMatchObject({
      ...{ id, name: 'Nytt Navn AS', email: 'ny@navn.example' },
    });
    const [entry] = await json<object[]>(`audit list --customer ${id} --action customer.change`);
    expect(entry).toMatchObject({ metadata: { name: 'Nytt Navn AS', email: 'ny@navn.example' } });
    const { rows } = await database.superuser.query<{ n: string }>(
      'select organization_number as n from customer where id = $1',
      [other.id],
    );
    for (const [change, text] of [
      ['--email nobody', 'e-mail'],
      ['--org-number 123456789', 'organisation number'],
      [`--org-number ${rows[0]?.n}`, 'is that of customer'],
      ['', 'something to change'],
    ])
      expect(await run(`customer change --customer ${id} ${change}`.trim())).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(text ?? ''),
      });
  });

  it('a change of nothing is refused, and not recorded', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const service = await json<{ id: number }>(`service add --customer ${id} --type hosting --name Web`);
    const recorded = () => json<object[]>(`audit list --customer ${id}`);
    const before = await recorded();
    for (const change of [
      ...['customer limits', 'ai configure', 'sms configure'].map((command) => `${command} --customer ${id}`),
      `service update --service ${service.id}`,
    ])
      expect(await run(change)).toMatchObject({ code: 4, stderr: expect.stringContaining('Give something to change') });
    expect(await recorded()).toEqual(before);
  });

  it('a price that has not begun is withdrawn, and one that has is not', async () => {
    const model = `model-${randomUUID()}`;
    await json(`ai price --model ${model} --input 1 --output 5 --from 2026-01-01`);
    await json(`ai price --model ${model} --input 9 --output 99 --from 2099-01-01`);
    await json(`ai withdraw-price --model ${model} --from 2099-01-01`);
    const prices = await json<{ model: string; input: string }[]>('ai prices');
    expect(prices.filter((price) => price.model === model)).toMatchObject([{ input: '1.000000' }]);
    expect(await run(`ai withdraw-price --model ${model} --from 2026-01-01`)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has begun'),
    });
    expect((await run(`ai withdraw-price --model ${model} --from 2099-01-01`)).code).toBe(3);
    expect(await json<object[]>('audit list --action ai.withdraw-price --limit 1')).toHaveLength(1);
  });

  it('one invoice and one SMS are shown with all their details', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const invoice = await json<{ id: string }>(
      `invoice add --customer ${id} --number I-${id.slice(0, 8)} --amount-nok 12.50 --issue-date 2026-01-01 --due-date 2026-01-15 --kid 1234`,
    );
    expect(await json(`invoice show --invoice ${invoice.id}`)).toMatchObject({
      ...{ id: invoice.id, kid: '1234', amount: '12.50', amount_due: '12.50' },
    });
    expect((await run(`invoice show --invoice ${randomUUID()}`)).code).toBe(3);
    const sms = randomUUID();
    await database.superuser.query(
      `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway)
       values ($1, $2, '+4790000000', 'A', 'The text', 1, 'GSM-7', 'g')`,
      [id, sms],
    );
    expect(await json(`sms show --customer ${id} --sms ${sms}`)).toMatchObject({ id: sms, message: 'The text' });
    expect((await run(`sms show --customer ${id} --sms ${randomUUID()}`)).code).toBe(3);
  });

  it('tickets are found by a text in them or in their replies', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const open = async (title: string, reply?: string) => {
      const ticket = randomUUID();
      const values = [id, ticket, title];
      await database.superuser.query(
        `insert into support_ticket (customer_id, id, title, body) values ($1, $2, $3, 'b')`,
        values,
      );
      if (reply !== undefined)
        await database.superuser.query(
          `insert into support_ticket_reply (customer_id, id, ticket_id, author, body) values ($1, gen_random_uuid(), $2, 'customer', $3)`,
          [id, ticket, reply],
        );
      return ticket;
    };
    const [titled, replied] = [await open('Slow DISK 100%'), await open('Another', 'the disk 100% again')];
    await open('Something else', 'a disk of 100 GB');
    const found = await json<{ id: string }[]>(`ticket list --customer ${id} --search disk_100%`);
    expect(found.map((ticket) => ticket.id).sort()).toEqual([titled, replied].sort());
  });

  it('the audit log is read by time', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await json(`customer change --customer ${id} --email one@example.com`);
    const [{ rows }] = [await database.superuser.query<{ now: Date }>('select app.now() as now')];
    const between = rows[0]!.now.toISOString();
    await json(`customer change --customer ${id} --email two@example.com`);
    const list = async (when: string) =>
      (await json<{ metadata: object }[]>(`audit list --customer ${id} ${when}`)).map(({ metadata }) => metadata);
    expect(await list(`--until ${between}`)).toEqual([{ email: 'one@example.com' }]);
    expect(await list(`--since ${between}`)).toEqual([{ email: 'two@example.com' }]);
    expect(await list(`--since 2020-01-01 --until ${between}`)).toHaveLength(1);
  });

  it('the customers that used most come first, with the total of all', async () => {
    const model = await saveModelPrice(database.superuser);
    const customers: string[] = [];
    for (const used of [1, 3, 2]) {
      const { id } = await saveFakeCustomer(database.superuser);
      await enableAi(database.superuser, id, { model, included: 10 });
      await database.superuser.query(
        `insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
         values ($1, 100, 'usage', 'included', -$2::numeric, 0, '2031-05', 'service', now())`,
        [id, used],
      );
      await saveFakeUsage(database.superuser, id, { createdAt: `${billingDay()}T10:00:00Z`, model, included: '0' });
      customers.push(id);
    }
    const { stdout, stderr } = await run('ai accounting --month 2031-05 --top 2 --json');
    expect((JSON.parse(stdout) as { customer_id: string }[]).map((row) => row.customer_id)).toEqual([
      customers[1],
      customers[2],
    ]);
    expect(stderr).toBe('in all 3 customers: topped up 0, used 0 purchased and 6 included NOK\n');
  });

  it('the customers that stored most during the last days come first, with their largest day', async () => {
    const names = new Map<string, string>();
    for (const [name, days] of Object.entries({ steady: [40, 40, 40], today: [100, 0, 0], before: [0, 0, 300] })) {
      const { id } = await saveFakeCustomer(database.superuser);
      names.set(id, name);
      for (const [ago, bytes] of days.entries())
        await database.superuser.query(
          `insert into stored_bytes (customer_id, day, bytes) values ($1, (now() at time zone 'UTC')::date - $2::int, $3)`,
          [id, ago, bytes * 1000],
        );
    }
    const stored = async (words: string) => {
      const { stdout } = await run(`customer storage ${words} --json`);
      const rows = JSON.parse(stdout) as { id: string; bytes: number; largest_day: number }[];
      return rows.map(({ id, bytes, largest_day: largest }) => [names.get(id), bytes / 1000, largest / 1000]);
    };
    expect(await stored('--days 1')).toEqual([
      ['today', 100, 100],
      ['steady', 40, 40],
      ['before', 0, 0],
    ]);
    expect((await stored('--days 2')).slice(0, 2)).toEqual([
      ['today', 100, 100],
      ['steady', 80, 40],
    ]);
    expect(await stored('--days 3 --limit 2')).toEqual([
      ['before', 300, 300],
      ['steady', 120, 40],
    ]);
  });

  it('the charged calls of a customer are exported as CSV, with all that a receipt has', async () => {
    const { id: customer } = await saveFakeCustomer(database.superuser);
    const model = await saveModelPrice(database.superuser);
    await enableAi(database.superuser, customer, { model });
    const paid = { included: '0.5', purchased: '0.25' };
    const { id } = await saveFakeUsage(database.superuser, customer, { model, requestId: 'req_1', ...paid });
    const { code, stdout } = await run(`ai usage --customer ${customer} --csv`);
    expect(code).toBe(0);
    const [names = [], ...rows] = stdout
      .replace('\uFEFF', '')
      .trimEnd()
      .split('\r\n')
      .map((text) => text.split(','));
    expect(rows).toHaveLength(1);
    expect(Object.fromEntries(names.map((name, index) => [name, rows[0]?.[index]]))).toMatchObject({
      ...{ id, provider: 'anthropic', model, input_tokens: '10', output_tokens: '20', cache_read_tokens: '0' },
      ...{ charged: '0.75', paid_from_included: '0.5', paid_from_purchased: '0.25', uncovered: '0', currency: 'NOK' },
      ...{ api_request_id: 'req_1', token_id: '', streamed: 'false' },
    });
  });

  it('is asked with the customer and the amount before something that cannot be undone', async () => {
    const { id } = await saveFakeCustomer(database.superuser, { name: 'Spurt AS' });
    const token = await saveFakeToken(database.superuser, id);
    const { rows } = await database.superuser.query<{ id: number }>(
      'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 1000, now()) returning id',
      [id],
    );
    // A terminal that the program does not see is told by operator.sh: one whose output goes into a pipe.
    const surroundings = [{ terminal: true }, { environment: { OPERATOR_TERMINAL: 'true' } }];
    const who = `Customer ${await number(id)}, Spurt AS`;
    const request = rows[0]?.id;
    const whose = `${who}: a token without a name, never used`;
    for (const [line, ...texts] of [
      [`credit-request approve --id ${request}`, `${who}: 1000.00 NOK, pending`, `Request ${request} is invoiced`],
      [`credit-request reject --id ${request} --reason No`, `${who}: 1000.00 NOK, pending`, 'is rejected for good'],
      [`token deactivate --token ${token.id}`, whose, `Token ${token.id} can never be used again`],
      [`token rotate --token ${token.id} --grace-hours 0`, whose, 'The old token is refused at once'],
      [`customer deactivate --customer ${id}`, who, 'All its tokens are refused at once'],
      [`customer erase --customer ${id}`, who, 'Its personal data is erased for good'],
      [`ai configure --customer ${id} --drop-key`, "The customer's own key is deleted"],
      [`ai credit --customer ${id} --kind refund --amount-nok 5 --note No`, 'An entry of 5 NOK stays'],
      ['ai price --model dear --input 10 --output 50', 'dear costs 10 and 50 NOK; a price is never changed'],
      ['account deactivate --account kari@example.com', 'kari@example.com is logged out at once'],
    ] as const) {
      for (const at of surroundings) {
        const { code, stderr } = await run(line, { ...at, input: 'n\n' });
        for (const text of texts) expect({ line, stderr }).toEqual({ line, stderr: expect.stringContaining(text) });
        expect({ line, code }).toEqual({ line, code: 8 });
      }
    }
  });
});
