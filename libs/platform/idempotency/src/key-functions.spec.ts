import { randomUUID } from 'node:crypto';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

/** Two customers, each with two keys in progress that both have in common: only all of customer, key and effect tell them apart. */
describe('A function of Idempotency-Keys concerns one key alone', () => {
  const HASHES = [Buffer.from('one key'), Buffer.from('another key')];
  const REPLY = Buffer.from('reply');
  let customers: string[];
  let effects: string[];

  beforeEach(async () => {
    const { superuser } = database;
    customers = [(await saveFakeCustomer(superuser)).id, (await saveFakeCustomer(superuser)).id];
    effects = [randomUUID(), randomUUID()];
    for (const customer of customers)
      for (const [place, hash] of HASHES.entries())
        await call('claim_idempotency_key($1, $2, $3, $4)', [customer, hash, REPLY, effects[place]]);
  });

  const call = async (text: string, values: unknown[]) =>
    (await database.superuser.query<{ result: unknown }>(`select app.${text} as result`, values)).rows[0]?.result;
  /** The states of the keys: of the first customer, then of the second. */
  const states = async () => {
    const { rows } = await database.superuser.query<{ state: string; reply: Buffer | null }>(
      `select state, reply from idempotency_key where customer_id = any ($1)
       order by array_position($1, customer_id), array_position($2, key_hash)`,
      [customers, HASHES],
    );
    return rows.map(({ state, reply }) => (reply ? `${state} with a reply` : state));
  };
  const [BUSY, DONE] = ['in_progress', 'done with a reply'];

  it('when it is completed, once', async () => {
    const complete = (effect = effects[0]) =>
      call('complete_idempotency_key($1, $2, $3, $4, $5)', [customers[0], HASHES[0], effect, 'key', REPLY]);
    expect(await complete(effects[1])).toBe(false);
    expect(await states()).toEqual([BUSY, BUSY, BUSY, BUSY]);
    expect(await complete()).toBe(true);
    expect(await states()).toEqual([DONE, BUSY, BUSY, BUSY]);
    expect(await complete()).toBe(true);
    expect(await complete(effects[1])).toBe(false);
    expect(await states()).toEqual([DONE, BUSY, BUSY, BUSY]);
  });

  it('when several are completed together, all or none', async () => {
    const complete = (owners: number[], keys: number[], of = keys) =>
      call('complete_idempotency_keys($1, $2, $3, $4, $5)', [
        owners.map((place) => customers[place]),
        keys.map((place) => HASHES[place]),
        of.map((place) => effects[place]),
        keys.map(() => 'key'),
        keys.map(() => REPLY),
      ]);
    await complete([0], [0]);
    expect(await states()).toEqual([DONE, BUSY, BUSY, BUSY]);
    await complete([0, 1], [1, 0]);
    expect(await states()).toEqual([DONE, DONE, DONE, BUSY]);
    const refused = { message: 'a key of the batch is done, or another request has it' };
    await expect(complete([1, 0], [1, 0])).rejects.toMatchObject(refused);
    await expect(complete([1], [1], [0])).rejects.toMatchObject(refused);
    expect(await states()).toEqual([DONE, DONE, DONE, BUSY]);
  });

  it('when it is freed, unless it is done or of another request', async () => {
    const free = (effect = effects[1]) => call('free_idempotency_key($1, $2, $3)', [customers[1], HASHES[1], effect]);
    expect(await free(effects[0])).toBe(false);
    expect(await states()).toEqual([BUSY, BUSY, BUSY, BUSY]);
    expect(await free()).toBe(true);
    expect(await states()).toEqual([BUSY, BUSY, BUSY, 'free']);
    expect(await free()).toBe(false);
    const claim = () => call('claim_idempotency_key($1, $2, $3, $4)', [customers[1], HASHES[1], REPLY, effects[1]]);
    expect([await claim(), await claim()]).toEqual([true, false]);
    await call('complete_idempotency_key($1, $2, $3, $4, $5)', [customers[1], HASHES[1], effects[1], 'key', REPLY]);
    expect(await free()).toBe(false);
    expect(await states()).toEqual([BUSY, BUSY, BUSY, DONE]);
  });
  it('of a customer, when it is given up after its time, whose reply it keeps', async () => {
    const { superuser } = database;
    const give = () => call('give_up_idempotency_keys($1)', [customers[0]]);
    expect(await give()).toBe(0);
    await superuser.query(
      `update idempotency_key set reply = $2, deadline = app.now() - interval '1 second' where key_hash = $1 and customer_id = any ($3)`,
      [HASHES[1], REPLY, customers],
    );
    const late = 'in_progress with a reply';
    expect(await states()).toEqual([BUSY, late, BUSY, late]);
    expect([await give(), await give()]).toEqual([1, 0]);
    expect(await states()).toEqual([BUSY, DONE, BUSY, late]);
  });
});
