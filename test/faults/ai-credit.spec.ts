import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { connectAsSuperuser } from '@test/test-database';
import { type AiStress, openAiStress, type Outcome, sendMessage } from '@test/ai-stress';
import { countBackends } from '@test/backends';
import { faker } from '@test/faker';
import { waitForLocks } from '@test/locks';
import { until } from '@test/until';

/** About 0.10 NOK each: 20 output tokens at 5 NOK per thousand. */
const message = (text = 'x') => ({ messages: [{ role: 'user', content: text }], max_tokens: 20 });
/** A stopped process counts as dead after about 12 s; its calls must not have reached their own deadline by then. */
const STOPPED_LONGER_MS = '60000';
/** Every kill costs the start of a process. `npm run accept:credit-kills` runs more. */
const KILLS = Number(process.env.ACCEPT_KILLS ?? 2);
const count = (outcomes: Outcome[], wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;

/** Returns for each killed process how long its reservations stayed pending. */
function watchKilled(superuser: Client) {
  const killedAt = new Map<string, number>();
  const waits: number[] = [];
  const pending = async () => {
    const { rows } = await superuser.query<{ id: string }>(
      `select distinct process_id as id from ai_reservation where state = 'pending'`,
    );
    return rows.map(({ id }) => id);
  };
  const look = async () => {
    const still = await pending();
    for (const [id, since] of killedAt) {
      if (still.includes(id)) continue;
      waits.push(performance.now() - since);
      killedAt.delete(id);
    }
  };
  const ending = new AbortController();
  const watching = (async () => {
    while (!ending.signal.aborted || killedAt.size > 0) {
      await look();
      await delay(100);
    }
  })();
  return {
    /** Marks the processes of all present reservations as killed. */
    async killed() {
      const now = performance.now();
      for (const id of await pending()) if (!killedAt.has(id)) killedAt.set(id, now);
    },
    async end() {
      ending.abort();
      await watching;
      return waits;
    },
  };
}

describe('AI credit, under load and faults', () => {
  let stress: AiStress;
  beforeEach(async () => (stress = await openAiStress({ AI_UPSTREAM_TIMEOUT_MS: STOPPED_LONGER_MS })));
  afterEach(() => stress.close());

  const settledCalls = async (customerId: string) => {
    const { rows } = await stress.superuser.query<{ settled: number; pending: number }>(
      `select (select count(*)::int from ai_usage where customer_id = $1) as settled,
              (select count(*)::int from ai_reservation where customer_id = $1 and state = 'pending') as pending`,
      [customerId],
    );
    return rows[0]!;
  };
  /** Waits until the calls of disconnected clients have ended. */
  const quiet = async (customerId: string) => {
    while ((await settledCalls(customerId)).pending > 0) await delay(50);
  };

  const quietLedger = () =>
    until(async () => (await countBackends(stress.superuser, `query like '%app.ai\\_%' and state = 'active'`)) === 0);

  it('is never overspent: 1,000 calls at once over two processes against 5 NOK', async () => {
    const apis = [await stress.start(), await stress.start()];
    const { id, token } = await stress.customer({ included: 5 });
    stress.sandbox.messages.always({ 'output-tokens': 18, usage: '{"input_tokens":10,"output_tokens":18}' });
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => sendMessage(apis[index % 2]!, token, message())),
    );
    const audit = await stress.audit(id);
    expect(audit).toMatchObject({ problems: [], reserved: 0, duplicates: 0, usages: count(outcomes, 201) });
    expect(audit.spent).toBeCloseTo(count(outcomes, 201) * 0.1, 10);
    expect(audit.spent).toBeLessThanOrEqual(5);
    expect(count(outcomes, 201)).toBeGreaterThan(10);
    expect(count(outcomes, 201) + count(outcomes, 402)).toBe(1000);
  }, 240_000);

  it('is never overspent when costs, failures and hang-ups are random', async () => {
    const apis = [await stress.start(), await stress.start()];
    const { id, token } = await stress.customer({ included: 20, purchased: 10 });
    const directives = () => {
      const random = faker.number.float();
      if (random < 0.1) return '[[sandbox:status=529]]';
      if (random < 0.2) return '[[sandbox:cut]]';
      if (random < 0.25) return '[[sandbox:not-json]]';
      return `[[sandbox:delay=${faker.number.int(29)}]][[sandbox:output-tokens=${faker.number.int({ min: 1, max: 20 })}]]`;
    };
    const outcomes = await Promise.all(
      Array.from({ length: 600 }, async (_, index) => {
        // Drawn before anything is waited for, so that a seed repeats them.
        const [sentAfter, body] = [faker.number.int(1500), message(directives())];
        const hangUp = faker.number.float() < 0.2 ? 1 + faker.number.float() * 40 : undefined;
        await delay(sentAfter);
        return sendMessage(apis[index % 2]!, token, body, hangUp);
      }),
    );
    await quiet(id);
    const audit = await stress.audit(id);
    expect(audit).toMatchObject({ problems: [], reserved: 0, duplicates: 0 });
    expect(audit.spent).toBeLessThanOrEqual(30);
    expect(audit.usages).toBeGreaterThanOrEqual(count(outcomes, 201));
    expect(audit.usages).toBeLessThanOrEqual(count(outcomes, 201) + count(outcomes, 'cut'));
    expect(new Set(outcomes)).toEqual(new Set([201, 502, 'cut', ...(outcomes.includes(402) ? [402] : [])]));
  }, 240_000);

  it('survives a kill while calls are at the provider: given up within 15 s, uncharged, long before their deadlines', async () => {
    const api = await stress.start();
    const { id, token } = await stress.customer({ included: 50 });
    stress.sandbox.messages.hold();
    const calls = Array.from({ length: 20 }, () => sendMessage(api, token, message()));
    await stress.sandbox.messages.received(20);
    await api.stop('SIGKILL');
    const killedAt = performance.now();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['cut']));
    expect((await stress.audit(id)).reserved).toBeGreaterThan(0);
    await quiet(id);
    expect(performance.now() - killedAt).toBeLessThan(15_000);
    expect(await stress.audit(id)).toMatchObject({ problems: [], reserved: 0, spent: 0, usages: 0 });
  });

  it('outlives a process that is stopped and goes on: what was given up meanwhile is charged late, and answered', async () => {
    const [stopped, other] = await Promise.all([stress.start(), stress.start()]);
    const { id, token } = await stress.customer({ included: 50 });
    const gate = stress.sandbox.messages.hold();
    const calls = Array.from({ length: 5 }, () => sendMessage(stopped, token, message()));
    await stress.sandbox.messages.received(5);
    stopped.child.kill('SIGSTOP');
    await quiet(id);
    gate.open();
    expect(await sendMessage(other, token, message())).toBe(201);
    stopped.child.kill('SIGCONT');
    expect(new Set(await Promise.all(calls))).toEqual(new Set([201]));
    expect(await sendMessage(stopped, token, message())).toBe(201);
    expect(await stress.audit(id)).toMatchObject({ problems: [], reserved: 0, usages: 7, duplicates: 0 });
  }, 240_000);

  it.each([
    ['before the reservation is stored', 'reservation'],
    ['between the answer and its settlement', 'settlement'],
  ])('survives a kill %s', async (_, moment) => {
    const api = await stress.start();
    const { id, token } = await stress.customer({ included: 50 });
    const gate = stress.sandbox.messages.hold();
    const lock = await connectAsSuperuser(stress.database);
    const lockAccount = () => lock.query('select from ai_account where customer_id = $1 for update', [id]);
    await lock.query('begin');
    if (moment === 'reservation') await lockAccount();
    const calls = Array.from({ length: 10 }, () => sendMessage(api, token, message()));
    if (moment === 'settlement') {
      await stress.sandbox.messages.received(10);
      await lockAccount();
      gate.open();
    }
    await waitForLocks(stress.superuser, 1);
    await api.stop('SIGKILL');
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['cut']));
    await lock.query('commit');
    await lock.end();
    // The server finishes statements whose client has disconnected.
    await quietLedger();
    await stress.resolveAbandoned();
    const audit = await stress.audit(id);
    expect(audit).toMatchObject({ problems: [], reserved: 0, duplicates: 0 });
    if (moment === 'reservation') expect(audit.usages).toBe(0);
  });

  it(`survives ${KILLS} kills under load at random moments; what each had reserved is free within 15 s`, async () => {
    const customers: { id: string; token: string }[] = [];
    for (let index = 0; index < 5; index++) customers.push(await stress.customer({ included: 1_000 }));
    // Long enough that most kills come while calls are in progress.
    stress.sandbox.messages.always({ 'output-tokens': 10, delay: 100 });
    let answered = 0;
    const watch = watchKilled(stress.superuser);
    for (let kill = 0; kill < KILLS; kill++) {
      const api = await stress.start();
      // The first call of a process takes long, and those sent meanwhile would end together with it.
      answered += count([await sendMessage(api, customers[0]!.token, message())], 201);
      const calls = Array.from({ length: 60 }, async (_, index) => {
        await delay(index * 5);
        return sendMessage(api, customers[index % customers.length]!.token, message());
      });
      await Promise.race(calls);
      // The last call is sent 300 ms after the first, and each takes 100 ms.
      await delay(faker.number.int(250));
      await api.stop('SIGKILL');
      answered += count(await Promise.all(calls), 201);
      await quietLedger();
      await watch.killed();
    }
    const waits = await watch.end();
    console.log(
      `${KILLS} kills, ${waits.length} of them with calls in progress: free again after ${Math.round(Math.max(...waits))} ms at most, ${answered} calls answered`,
    );
    expect(waits.length).toBeGreaterThan(KILLS / 4);
    let usages = 0;
    for (const { id } of customers) {
      const audit = await stress.audit(id);
      expect(audit).toMatchObject({ problems: [], reserved: 0, duplicates: 0 });
      usages += audit.usages;
    }
    // Every answered call was charged; a call that was charged and not answered was killed in between.
    expect(usages).toBeGreaterThanOrEqual(answered);
    expect(answered).toBeGreaterThanOrEqual(KILLS);
    expect(Math.max(...waits)).toBeLessThan(15_000);
  }, 1_800_000);

  it('loses no call on SIGTERM under load, and charges none that it does not answer', async () => {
    const api = await stress.start();
    const { id, token } = await stress.customer({ included: 1_000 });
    stress.sandbox.messages.always({ delay: 50, 'output-tokens': 10 });
    const calls = Array.from({ length: 200 }, async (_, index) => {
      await delay(index * 2);
      return sendMessage(api, token, message());
    });
    await stress.sandbox.messages.received(20);
    const exit = api.stop('SIGTERM');
    const outcomes = await Promise.all(calls);
    expect((await exit).code).toBe(0);
    const audit = await stress.audit(id);
    expect(audit).toMatchObject({ problems: [], reserved: 0, usages: count(outcomes, 201) });
    expect(count(outcomes, 201)).toBeGreaterThanOrEqual(20);
    // Late calls were refused before anything was done, by a closed connection or a 503.
    expect(count(outcomes, 201) + count(outcomes, 503) + count(outcomes, 'cut')).toBe(200);
  }, 240_000);
});
