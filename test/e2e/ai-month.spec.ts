import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { balancesOf } from '@test/ai.fixture';
import { caller, startApi, type TestApi } from '@test/api';
import { setDatabaseClock } from '@test/database-clock';

/** Half a minute around midnight in the billing time zone, which is an hour ahead of UTC. */
const BEFORE = new Date('2030-11-30T22:59:45Z');
const AFTER = new Date('2030-11-30T23:00:15Z');
const CALLS = 400;

describe('The turn of the month, under load over HTTP', () => {
  let fixture: AiApi;
  let second: TestApi;
  beforeAll(async () => {
    fixture = await startAiApi();
    second = await startApi({}, fixture.api.database);
    await setDatabaseClock(fixture.api.superuser, { standsAt: BEFORE });
  });
  afterAll(async () => {
    await second.app.close();
    await second.superuser.end();
    await fixture.stop();
  });

  it('expires unreserved credit at once and the rest with the calls, grants once, loses no call and shows the new month at once', async () => {
    const { customer, token } = await createAiCaller(fixture, { included: 500, purchased: 100, month: '2030-11' });
    const calls = [fixture.api, second].map(({ baseUrl }) => caller(baseUrl, token.token));
    fixture.sandbox.messages.always({ delay: 20 });
    let answered = 0;
    let sent = 0;
    const client = async () => {
      while (sent < CALLS) {
        const reply = await calls[sent++ % 2]!('/ai/messages', {
          method: 'POST',
          body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }),
          headers: { 'content-type': 'application/json' },
        });
        expect(reply.status).toBe(201);
        await reply.arrayBuffer();
        if (++answered === CALLS / 4) await setDatabaseClock(fixture.api.superuser, { standsAt: AFTER });
      }
    };
    await Promise.all(Array.from({ length: 32 }, client));

    const { rows } = await fixture.api.superuser.query<{
      kind: string;
      month: string;
      entries: number;
      amount: number;
    }>(
      `select kind, month, count(*)::int as entries, sum(amount)::float as amount
       from ai_ledger_entry where customer_id = $1 group by kind, month order by kind, month`,
      [customer.id],
    );
    const used = (month: string) => rows.find((row) => row.kind === 'usage' && row.month === month)!;
    expect(rows.filter(({ kind }) => kind !== 'usage')).toEqual([
      { kind: 'expiry', month: '2030-11', entries: expect.any(Number), amount: expect.any(Number) },
      { kind: 'invoice_topup', month: '2030-11', entries: 1, amount: 100 },
      { kind: 'monthly_included', month: '2030-11', entries: 1, amount: 500 },
      { kind: 'monthly_included', month: '2030-12', entries: 1, amount: 500 },
    ]);
    expect(used('2030-11').entries).toBeGreaterThanOrEqual(CALLS / 4 - 32);
    expect(used('2030-11').entries + used('2030-12').entries).toBe(CALLS);
    const balances = await balancesOf(fixture.api.superuser, customer.id);
    const total = rows.reduce((sum, { amount }) => sum + amount, 0);
    expect(balances).toMatchObject({ reserved: 0, month: '2030-12' });
    // No November credit is left: it was used or has expired.
    const { rows: carried } = await fixture.api.superuser.query(
      'select carried_over::float from ai_account where customer_id = $1',
      [customer.id],
    );
    expect(carried).toEqual([{ carried_over: 0 }]);
    expect(balances.included + balances.purchased).toBeCloseTo(total, 6);
    expect(balances.usage).toBeCloseTo(-used('2030-12').amount, 6);
  });
});
