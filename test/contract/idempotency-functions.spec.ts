import { randomBytes, randomUUID } from 'node:crypto';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

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
