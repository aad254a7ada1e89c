import { randomBytes, randomUUID } from 'node:crypto';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { describeOnOneServer, itOnOneServer } from '@test/kinds-of-server';
import { databaseHasServed } from '@test/served-time';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();
beforeAll(() => databaseHasServed(database.superuser));

describe('An Idempotency-Key in the database', () => {
  /** A key that its customer's request with an effect outside the database has claimed. */
  async function claimed(within: string) {
    const { id } = await saveFakeCustomer(database.superuser);
    const [hash, effect] = [randomBytes(32), randomUUID()];
    const run = async (text: string, ...values: unknown[]) => {
      const { rows } = await database.superuser.query<{ result: unknown }>(`select ${text} as result`, values);
      return rows[0]?.result;
    };
    const CLAIM = `app.claim_idempotency_key($1, $2, $2, $3, 'key', 'nobody knows', $4::interval)`;
    const claim = (of: string) => run(CLAIM, id, hash, of, within);
    await claim(effect);
    return {
      effect,
      claim: () => claim(randomUUID()),
      complete: (of: string, reply: string) =>
        run('app.complete_idempotency_key($1, $2, $3, $4, $5)', id, hash, of, 'key', Buffer.from(reply)),
      free: (of: string) => run('app.free_idempotency_key($1, $2, $3)', id, hash, of),
      giveUp: () => run('app.give_up_idempotency_keys($1)', id),
      stored: async () => {
        const { rows } = await database.superuser.query<{ state: string; reply: Buffer | null }>(
          'select state, reply from idempotency_key where customer_id = $1',
          [id],
        );
        return rows.map(({ state, reply }) => [state, reply?.toString()]);
      },
    };
  }

  it('is completed once: what was told stays', async () => {
    const key = await claimed('1 minute');
    expect(await key.complete(key.effect, 'sent')).toBe(true);
    expect(await key.complete(key.effect, 'sent twice')).toBe(true);
    expect(await key.free(key.effect)).toBe(false);
    expect(await key.claim()).toBe(false);
    expect(await key.stored()).toEqual([['done', 'sent']]);
  });

  it('that was given up keeps the reply that says so, however late its request ends', async () => {
    const key = await claimed('-1 second');
    expect(await key.giveUp()).toBe(1);
    expect(await key.complete(key.effect, 'sent')).toBe(true);
    expect(await key.free(key.effect)).toBe(false);
    expect(await key.stored()).toEqual([['done', 'nobody knows']]);
  });

  it('is not given up before its time', async () => {
    const key = await claimed('1 minute');
    expect(await key.giveUp()).toBe(0);
    expect(await key.claim()).toBe(false);
    expect(await key.stored()).toEqual([['in_progress', 'nobody knows']]);
  });

  it('is left alone by a request with another effect', async () => {
    const key = await claimed('1 minute');
    expect(await key.complete(randomUUID(), 'of another')).toBe(false);
    expect(await key.free(randomUUID())).toBe(false);
    expect(await key.stored()).toEqual([['in_progress', 'nobody knows']]);
  });

  it('that was freed can be claimed again, by one', async () => {
    const key = await claimed('1 minute');
    expect(await key.free(key.effect)).toBe(true);
    expect(await key.stored()).toEqual([['free', undefined]]);
    expect([await key.claim(), await key.claim()]).toEqual([true, false]);
  });
});

describeOnOneServer('Idempotency-Keys of a batch of the ledger', 'its batches do not run there', () => {
  const REPLY = Buffer.from('reply');

  /** A key of each of these customers, in a state that it was brought to before. */
  async function arrange(states: ('new' | 'in progress' | 'done')[]) {
    const { superuser } = database;
    const keys: { customer: string; hash: Buffer; effect: string; before: string }[] = [];
    for (const state of states) {
      const { id: customer } = await saveFakeCustomer(superuser);
      const key = { customer, hash: randomBytes(32), effect: randomUUID(), before: randomUUID() };
      const of = [customer, key.hash, key.before];
      if (state !== 'new') await superuser.query('select app.claim_idempotency_key($1, $2, $2, $3)', of);
      if (state === 'done')
        await superuser.query(`select app.complete_idempotency_key($1, $2, $3, 'key', $4)`, [...of, REPLY]);
      keys.push(key);
    }
    return {
      keys,
      claim: async () => {
        for (const { customer, hash, effect } of keys)
          await superuser.query('select app.claim_idempotency_key($1, $2, $2, $3)', [customer, hash, effect]);
      },
      complete: (replies: (Buffer | null)[]) =>
        superuser.query(`select app.complete_idempotency_keys($1, $2, $3, $4, $5)`, [
          keys.map(({ customer }) => customer),
          keys.map(({ hash }) => hash),
          keys.map(({ effect }) => effect),
          replies.map((reply) => reply && 'key 2'),
          replies,
        ]),
      stored: async () => {
        const { rows } = await superuser.query<{ state: string; effect_id: string; reply: Buffer | null }>(
          `select k.* from unnest($1::uuid[]) with ordinality as c (customer, place)
           join idempotency_key k on k.customer_id = c.customer order by c.place`,
          [keys.map(({ customer }) => customer)],
        );
        return rows.map(({ state, effect_id, reply }, at) => [
          state,
          effect_id === keys[at]?.effect ? 'its own' : "another's",
          reply?.toString(),
        ]);
      },
    };
  }

  it('are completed, each with its reply or with none', async () => {
    const { claim, complete, stored } = await arrange(['new', 'new']);
    await claim();
    await complete([Buffer.from('one'), null]);
    expect(await stored()).toEqual([
      ['done', 'its own', 'one'],
      ['done', 'its own', undefined],
    ]);
  });

  it.each(['done', 'in progress'] as const)(
    'are all left as they are if one is %s for another request',
    async (state) => {
      const { claim, complete, stored } = await arrange(['new', state]);
      await claim();
      const before = await stored();
      await expect(complete([Buffer.from('one'), Buffer.from('two')])).rejects.toThrow('another request has it');
      expect(await stored()).toEqual(before);
    },
  );

  it('are nothing that the API may complete', async () => {
    const { rows } = await database.superuser.query(
      `select p.proname from pg_proc p where p.proname = 'complete_idempotency_keys'
         and not has_function_privilege('customer_api', p.oid, 'execute')`,
    );
    expect(rows).toHaveLength(1);
  });
});

describe('A function of Idempotency-Keys concerns one key alone', () => {
  const HASHES = [randomBytes(32), randomBytes(32)];
  const REPLY = Buffer.from('reply');
  const [BUSY, DONE] = ['in_progress', 'done with a reply'];
  let customers: string[];
  let effects: string[];

  /** Two customers have the same two keys in progress, with the same effects: only all three tell them apart. */
  beforeEach(async () => {
    const { superuser } = database;
    customers = [(await saveFakeCustomer(superuser)).id, (await saveFakeCustomer(superuser)).id];
    effects = [randomUUID(), randomUUID()];
    for (const customer of customers)
      for (const [place, hash] of HASHES.entries())
        await run('claim_idempotency_key($1, $2, $2, $3)', [customer, hash, effects[place]]);
  });

  const run = (text: string, values: unknown[]) => database.superuser.query(`select app.${text}`, values);
  /** The states of the keys: of the first customer, then of the second. */
  const states = async () => {
    const { rows } = await database.superuser.query<{ state: string; reply: Buffer | null }>(
      `select state, reply from idempotency_key where customer_id = any ($1)
       order by array_position($1, customer_id), array_position($2, key_hash)`,
      [customers, HASHES],
    );
    return rows.map(({ state, reply }) => (reply ? `${state} with a reply` : state));
  };

  it('when it is completed', async () => {
    const complete = (effect = effects[0]) =>
      run('complete_idempotency_key($1, $2, $3, $4, $5)', [customers[0], HASHES[0], effect, 'key', REPLY]);
    await complete(effects[1]);
    expect(await states()).toEqual([BUSY, BUSY, BUSY, BUSY]);
    await complete();
    expect(await states()).toEqual([DONE, BUSY, BUSY, BUSY]);
    const { rows } = await complete(effects[1]);
    expect(rows).toEqual([{ complete_idempotency_key: false }]);
  });

  itOnOneServer('when several are completed together', 'batches of the ledger do not run there', async () => {
    const complete = (owners: number[], keys: number[]) =>
      run('complete_idempotency_keys($1, $2, $3, $4, $5)', [
        owners.map((place) => customers[place]),
        keys.map((place) => HASHES[place]),
        keys.map((place) => effects[place]),
        keys.map(() => 'key'),
        keys.map(() => REPLY),
      ]);
    await complete([0], [0]);
    expect(await states()).toEqual([DONE, BUSY, BUSY, BUSY]);
    await complete([0, 1], [1, 0]);
    expect(await states()).toEqual([DONE, DONE, DONE, BUSY]);
    await expect(complete([1, 0], [1, 0])).rejects.toThrow('another request has it');
    expect(await states()).toEqual([DONE, DONE, DONE, BUSY]);
  });

  it('when it is freed', async () => {
    const free = (effect: string | undefined) =>
      run('free_idempotency_key($1, $2, $3)', [customers[1], HASHES[1], effect]);
    await free(effects[0]);
    expect(await states()).toEqual([BUSY, BUSY, BUSY, BUSY]);
    await free(effects[1]);
    expect(await states()).toEqual([BUSY, BUSY, BUSY, 'free']);
  });

  it('of a customer, when it is given up after its time', async () => {
    const giveUp = () => run('give_up_idempotency_keys($1)', [customers[0]]);
    await database.superuser.query(
      `update idempotency_key set reply = $2, deadline = app.now() - interval '1 second' where key_hash = $1 and customer_id = any ($3)`,
      [HASHES[1], REPLY, customers],
    );
    await giveUp();
    expect(await states()).toEqual([BUSY, DONE, BUSY, 'in_progress with a reply']);
  });
});
