import { randomBytes, randomUUID } from 'node:crypto';
import { useTestDatabase } from '@test/use-test-database';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { createPartition } from '@test/locks';
import { operatorCommand } from '@test/operator-command';
import { setDatabaseClock } from '@test/database-clock';

const database = useTestDatabase();

describe("The operator's command line, AI", () => {
  const environment = { SECRETS_KEY: randomBytes(32).toString('base64') };

  const run = (line: string, input?: string) => operatorCommand(database, line.split(' '), { environment, input });
  const json = async <T>(line: string, input?: string) => {
    const { code, stdout, stderr } = await run(`${line} --json`, input);
    // A month ends with its total.
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^(in all .* NOK\n)?$/) });
    return JSON.parse(stdout) as T;
  };

  /** A customer with an AI model of its own, so that each test has its own ledger. */
  async function arrange(): Promise<{ customer: string; model: string }> {
    const customer = (await saveFakeCustomer(database.superuser)).id;
    const model = `model-${randomUUID()}`;
    await json(`ai price --model ${model} --input 10 --output 50 --from 2026-01-01`);
    await json(`ai configure --customer ${customer} --enabled true --model ${model} --included-nok 500`);
    return { customer, model };
  }

  it('verifies nothing with exit code 1 unless that is allowed, and says how many accounts it saw', async () => {
    const none = (await saveFakeCustomer(database.superuser)).id;
    const { customer } = await arrange();
    expect(await run(`ai verify --customer ${none}`)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: '0 accounts were checked\n',
    });
    expect(await run(`ai verify --customer ${none} --allow-empty --json`)).toMatchObject({
      code: 0,
      stdout: '[]\n',
      stderr: '0 accounts were checked\n',
    });
    expect(await run(`ai verify --customer ${customer}`)).toMatchObject({
      code: 0,
      stderr: '1 account was checked: no difference\n',
    });
  });

  it('sets a price and a customer up, with a key that no output shows', async () => {
    const customer = (await saveFakeCustomer(database.superuser)).id;
    await json(
      'ai price --model claude-test --input 10.5 --output 52.5 --cache-write-5m 13 --cache-write-1h 21 --cache-read 1 --from 2026-01-01',
    );
    expect(await json<object[]>('ai prices')).toContainEqual(
      expect.objectContaining({
        cache_write5m: '13.000000',
        cache_write1h: '21.000000',
        model: 'claude-test',
        input: '10.500000',
        output: '52.500000',
        cache_read: '1.000000',
        valid_from: '2025-12-31T23:00:00.000000Z',
      }),
    );
    const configured = await run(
      `ai configure --customer ${customer} --enabled true --model claude-test --included-nok 500 --monthly-limit-nok 800 --key-stdin --json`,
      'sk-secret-of-customer\n',
    );
    expect(configured).toMatchObject({ code: 0, stderr: '' });
    expect(configured.stdout).not.toContain('sk-secret');
    expect(JSON.parse(configured.stdout)).toMatchObject({
      enabled: true,
      own_key: true,
      monthly_limit_nok: '800.000000000000',
    });
    expect(await json(`ai show --customer ${customer}`)).toMatchObject({ included_nok: '500.000000000000' });
  });

  it('books credit, shows the ledger and verifies it', async () => {
    const { customer } = await arrange();
    await json(`ai credit --customer ${customer} --kind refund --amount-nok 12.5 --note goodwill`);
    await json(`ai credit --customer ${customer} --kind manual_adjustment --amount-nok -2.5 --note typo`);
    expect(await json<object[]>(`ai ledger --customer ${customer}`)).toMatchObject([
      { kind: 'manual_adjustment', amount: '-2.500000000000' },
      { kind: 'refund', amount: '12.500000000000' },
      { kind: 'monthly_included', amount: '500.000000000000' },
    ]);
    const { rows } = await database.superuser.query(
      `select metadata from audit_log where customer_id = $1 and action = 'ai.credit' order by created_at`,
      [customer],
    );
    expect(rows).toEqual([
      { metadata: { kind: 'refund', amount_nok: '12.5', note: 'goodwill' } },
      { metadata: { kind: 'manual_adjustment', amount_nok: '-2.5', note: 'typo' } },
    ]);
    expect(await run('ai verify --json')).toMatchObject({ code: 0, stdout: '[]\n' });
    await database.superuser.query('update ai_account set purchased = purchased + 1 where customer_id = $1', [
      customer,
    ]);
    const failed = await run('ai verify --json');
    await database.superuser.query('update ai_account set purchased = purchased - 1 where customer_id = $1', [
      customer,
    ]);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject([{ customer_id: customer }]);
  });

  it('books neither nothing nor a refund that takes', async () => {
    const { customer } = await arrange();
    for (const booking of ['refund --amount-nok 0', 'manual_adjustment --amount-nok 0', 'refund --amount-nok -1'])
      expect(await run(`ai credit --customer ${customer} --kind ${booking} --note typo`)).toMatchObject({
        ...{ code: 4, stderr: expect.stringContaining('The amount must not be 0, and a refund must be more than 0') },
      });
    expect(await json<object[]>(`ai ledger --customer ${customer}`)).toHaveLength(1);
  });

  it('sets no included credit where two services have one', async () => {
    const { customer } = await arrange();
    await json(`service add --customer ${customer} --type ai --name More --config {"monthly_included_nok":100}`);
    const before = await json(`ai show --customer ${customer}`);
    expect(await run(`ai configure --customer ${customer} --included-nok 700`)).toMatchObject({
      ...{ code: 4, stderr: expect.stringContaining('The customer has several ai services') },
    });
    expect(await json(`ai show --customer ${customer}`)).toEqual(before);
  });

  it('adds no second service where the only one is not active, but where it is terminated', async () => {
    const { customer } = await arrange();
    const services = async () =>
      json<{ id: number; status: string }[]>(`service list --customer ${customer} --type ai`);
    const [{ id } = { id: 0 }] = await services();
    await json(`service update --service ${id} --status suspended`);
    expect(await run(`ai configure --customer ${customer} --included-nok 700`)).toMatchObject({
      ...{
        code: 4,
        stderr: expect.stringContaining(`The customer's ai service ${id} is suspended; activate it first`),
      },
    });
    expect(await services()).toMatchObject([{ id, status: 'suspended' }]);
    await json(`service update --service ${id} --status terminated`);
    await json(`ai configure --customer ${customer} --included-nok 700`);
    expect((await services()).map(({ status }) => status).sort()).toEqual(['active', 'terminated']);
  });

  /** The rows of a list as CSV, by the names of its columns. */
  async function csv(line: string): Promise<Record<string, string | undefined>[]> {
    const { code, stdout } = await run(`${line} --csv`);
    expect(code).toBe(0);
    const [names = [], ...rows] = stdout
      .replace('\uFEFF', '')
      .trimEnd()
      .split('\r\n')
      .map((text) => text.split(','));
    return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
  }

  it('exports the ledger as CSV, with the note of a booking and who made it', async () => {
    const { customer } = await arrange();
    await json(`ai credit --customer ${customer} --kind refund --amount-nok 12.5 --note goodwill --as kari`);
    const entries = await csv(`ai ledger --customer ${customer}`);
    expect(entries).toHaveLength(2);
    expect(entries.find(({ kind }) => kind === 'refund')).toEqual({
      ...{ sequence: '2', created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), kind: 'refund' },
      ...{ bucket: 'purchased', amount: '12.5', balance_after: '12.5', month: expect.stringMatching(/^\d{4}-\d\d$/) },
      ...{ usage_id: '', credit_request_id: '', invoice_id: '', note: 'goodwill', actor: 'operator:kari' },
    });
  });

  it('books credit for a customer before AI is set up for it', async () => {
    const customer = (await saveFakeCustomer(database.superuser)).id;
    await json(`ai credit --customer ${customer} --kind refund --amount-nok 12.5 --note early`);
    expect(await json<object[]>(`ai ledger --customer ${customer}`)).toMatchObject([
      { kind: 'refund', amount: '12.500000000000', balance_after: '12.500000000000' },
    ]);
  });

  it('adds a month up for the accounts', async () => {
    const { customer } = await arrange();
    await json(`ai credit --customer ${customer} --kind refund --amount-nok 12.5 --note goodwill`);
    await json(`ai credit --customer ${customer} --kind manual_adjustment --amount-nok -2.5 --note typo`);
    const { rows } = await database.superuser.query<{ month: string; next: string }>(
      `select to_char(t, 'YYYY-MM') as month, to_char(t + interval '1 month', 'YYYY-MM') as next
       from (select date_trunc('month', now() at time zone 'Europe/Oslo') as t) months`,
    );
    const [{ month, next } = { month: '', next: '' }] = rows;
    const of = (of: string) => json<object[]>(`ai accounting --month ${of} --customer ${customer}`);
    const none = '0';
    expect(await of(month)).toMatchObject([
      {
        ...{ customer_id: customer, month, refunded: '12.500000000000', adjusted: '-2.500000000000' },
        ...{ granted: '500.000000000000', used_purchased: none, used_included: none, topped_up: none, expired: none },
      },
    ]);
    expect(await of(next)).toEqual([]);
  });

  it('counts an expiry in the month that it ends, however late the account begins the next one', async () => {
    const { customer } = await arrange();
    const rollOver = (at: string) =>
      database.superuser.query(
        `select app.ai_roll_over($1, to_char($2::timestamptz at time zone 'Europe/Oslo', 'YYYY-MM'), $2)`,
        [customer, at],
      );
    for (const at of ['2091-01-05T12:00:00Z', '2091-04-05T12:00:00Z']) await rollOver(at);
    const of = async (month: string) =>
      (await json<Record<string, string>[]>(`ai accounting --month ${month} --customer ${customer}`)).map(
        ({ granted, expired }) => [Number(granted), Number(expired)],
      );
    expect(await of('2091-01')).toEqual([[500, 500]]);
    expect(await of('2091-02')).toEqual([]);
    expect(await of('2091-04')).toEqual([[500, 0]]);
  });

  it('adds December up, until the end of the year in Norway', async () => {
    const { customer } = await arrange();
    await database.superuser.query(`update ai_account set month = '2025-11' where customer_id = $1`, [customer]);
    const credit = (id: string, at: string) =>
      database.superuser.query(
        `select app.ai_credit($1, to_char($3::timestamptz at time zone 'Europe/Oslo', 'YYYY-MM'), $3, 'refund', 1, $2, 'operator:test', null, null)`,
        [customer, id, at],
      );
    for (const at of ['2025-11-30T22:59:59Z', '2025-11-30T23:00:00Z', '2025-12-31T22:59:59Z', '2025-12-31T23:00:00Z'])
      await credit(at, at);
    const of = (month: string) => json<{ refunded: string }[]>(`ai accounting --month ${month} --customer ${customer}`);
    expect((await of('2025-11')).map(({ refunded }) => Number(refunded))).toEqual([1]);
    expect((await of('2025-12')).map(({ refunded }) => Number(refunded))).toEqual([2]);
    expect((await of('2026-01')).map(({ refunded }) => Number(refunded))).toEqual([1]);
  });

  it('refuses a month of which entries were dropped, be it the first hour alone', async () => {
    const { customer } = await arrange();
    const sql = (statement: string, ...values: unknown[]) => database.superuser.query(statement, values);
    await sql(`update ai_account set month = '2024-11' where customer_id = $1`, customer);
    for (const month of ['2024-11', '2024-12'])
      await createPartition(database.superuser, 'ai_ledger_entry', `${month}-01`);
    // Norway's December begins in the November of the partitions.
    await setDatabaseClock(database.superuser, { standsAt: '2024-11-30T23:00:00Z' });
    await sql(`select app.ai_roll_over($1, '2024-12', app.now())`, customer);
    await setDatabaseClock(database.superuser, { standsAt: '2024-12-31T23:00:00Z' });
    await sql(`select app.ai_roll_over($1, '2025-01', app.now())`, customer);
    await setDatabaseClock(database.superuser, 'right');
    const of = async (month: string) =>
      (await json<Record<string, string>[]>(`ai accounting --month ${month} --customer ${customer}`)).map(
        ({ granted, expired }) => [Number(granted), Number(expired)],
      );
    const refused = async (month: string) =>
      expect(await run(`ai accounting --month ${month} --customer ${customer}`)).toEqual({
        ...{ code: 4, stdout: '' },
        stderr: `The entries of ${month} are no longer all in the ledger (AI_LEDGER_RETENTION_MONTHS): 2025-01 is the first month that adds up\n`,
      });
    expect(await of('2024-12')).toEqual([[500, 500]]);
    await sql(`select app.ai_carry_forward(customer_id, '2024-12-01T00:00:00Z') from ai_account`);
    expect(await of('2024-12')).toEqual([[500, 500]]);
    await sql(`select app.drop_partition('ai_ledger_entry', '2024-11-01')`);
    await refused('2024-11');
    await refused('2024-12');
    expect(await of('2025-01')).toEqual([[500, 0]]);
    expect(await run(`ai verify --customer ${customer}`)).toMatchObject({ code: 0 });
  });

  it('completes a price by the ratios of the price list', async () => {
    const { model } = await arrange();
    expect(await json<object[]>('ai prices')).toContainEqual(
      expect.objectContaining({
        ...{ model, input: '10.000000', output: '50.000000', cache_read: '1.000000' },
        ...{ cache_write5m: '12.500000', cache_write1h: '20.000000' },
      }),
    );
  });

  it('removes a limit', async () => {
    const { customer } = await arrange();
    const configure = `ai configure --customer ${customer}`;
    const set = await json(`${configure} --monthly-limit-nok 800 --total-limit-nok 900`);
    expect(set).toMatchObject({ monthly_limit_nok: '800.000000000000', total_limit_nok: '900.000000000000' });
    const removed = await json(`${configure} --monthly-limit-nok none`);
    expect(removed).toMatchObject({ monthly_limit_nok: null, total_limit_nok: '900.000000000000' });
  });

  it('shows the calls of unknown outcome of one customer or of all', async () => {
    const customers = [(await arrange()).customer, (await arrange()).customer];
    for (const customer of customers)
      await database.superuser.query(
        `insert into ai_reservation (customer_id, id, state, amount, model, price_valid_from, input_tokens_bound, max_tokens,
           deadline, created_at, resolved_at)
         values ($1, gen_random_uuid(), 'outcome_unknown', 1, 'm', now(), 1, 1, now(), now(), now())`,
        [customer],
      );
    expect(await json(`ai unknown --customer ${customers[0]}`)).toMatchObject([{ customer_id: customers[0] }]);
    expect((await json<{ customer_id: string }[]>('ai unknown')).map(({ customer_id }) => customer_id).sort()).toEqual(
      customers.sort(),
    );
  });

  it('approves once and rejects with a reason', async () => {
    const { customer } = await arrange();
    const insert = async () => {
      const { rows } = await database.superuser.query<{ id: number }>(
        'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 1000, now()) returning id',
        [customer],
      );
      return rows[0]!.id;
    };
    const [wanted, unwanted] = [await insert(), await insert()];
    const first = await json<{ invoice_id: string }>(`credit-request approve --id ${wanted}`);
    expect(await json(`credit-request approve --id ${wanted}`)).toMatchObject({
      invoice_id: first.invoice_id,
      status: 'approved',
    });
    expect(await json(`credit-request reject --id ${unwanted} --reason no`)).toMatchObject({
      status: 'rejected',
      reason: 'no',
    });
    expect(await json('credit-request list --status pending')).toEqual([]);
    expect(await json(`ai show --customer ${customer}`)).toMatchObject({ purchased_nok: '1000.000000000000' });
  });

  it.each<[string, number, RegExp, (id: string) => string]>([
    [
      'an amount that is none',
      2,
      /lots/,
      (id) => `ai credit --customer ${id} --kind refund --amount-nok lots --note x`,
    ],
    ['a negative refund', 4, /refund/, (id) => `ai credit --customer ${id} --kind refund --amount-nok -5 --note x`],
    [
      'a kind that is not for operators',
      2,
      /usage/,
      (id) => `ai credit --customer ${id} --kind usage --amount-nok 5 --note x`,
    ],
    [
      'more than there is',
      4,
      /credit/,
      (id) => `ai credit --customer ${id} --kind manual_adjustment --amount-nok -99999 --note x`,
    ],
    ['a model without a price', 4, /unheard-of/, (id) => `ai configure --customer ${id} --model unheard-of`],
    ['a day that is none', 2, /2026-02-30/, () => 'ai price --model m --input 1 --output 1 --from 2026-02-30'],
    ['a price below 0', 4, /of input: -1 is not from 0/, () => 'ai price --model m --input -1 --output 1'],
    ['a price that is none', 4, /of output: 1,5 is not/, () => 'ai price --model m --input 1 --output 1,5'],
    [
      'a price of cache writes with too many decimals',
      4,
      /of cache writes for 1 hour: 0.0000001 has more than 6/,
      () => 'ai price --model m --input 1 --output 1 --cache-write-1h 0.0000001',
    ],
    ['an unknown request', 3, /999999/, () => 'credit-request approve --id 999999'],
  ])('refuses %s with code %i', async (_, expected, message, line) => {
    const { customer } = await arrange();
    const { code, stdout, stderr } = await run(line(customer));
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
    expect(await run('ai verify --json')).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(await json(`ai ledger --customer ${customer}`)).toHaveLength(1);
  });
});
