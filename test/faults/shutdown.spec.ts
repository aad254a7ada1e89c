import { setTimeout as delay } from 'node:timers/promises';
import { saveAiCustomer } from '@test/ai-factories';
import { type AiStress, openAiStress, sendMessage } from '@test/ai-stress';
import { holdLock, waitForLocks } from '@test/locks';
import { until } from '@test/until';
import { startWorkerProcess } from '@test/worker-process';

const MESSAGE = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };

describe('SIGTERM', () => {
  let stress: AiStress;
  beforeAll(async () => (stress = await openAiStress()));
  afterAll(() => stress.close());
  beforeEach(() => stress.sandbox.reset());

  it('lets calls end whose callers hung up: they are charged before the process ends', async () => {
    const api = await stress.start();
    const { id, token } = await stress.customer({ included: 50 });
    const gate = stress.sandbox.messages.hold();
    const calls = Array.from({ length: 5 }, () => sendMessage(api, token, MESSAGE, 1500));
    await stress.sandbox.messages.received(5);
    expect(await Promise.all(calls)).toEqual(Array(5).fill('cut'));
    const exit = api.stop('SIGTERM');
    // No connection is open any more: a process that waits for its callers alone would be gone by now.
    await delay(1000);
    expect(api.child.exitCode).toBeNull();
    gate.open();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(await stress.audit(id)).toMatchObject({ problems: [], held: 0, usages: 5, duplicates: 0 });
  }, 60_000);

  it('lets a job of the worker end what it is at; the rest is done by the next worker', async () => {
    const settings = { DATABASE_URL: stress.database.url, DATABASE_STATEMENT_TIMEOUT_MS: '20000' };
    const customers: string[] = [];
    for (let count = 0; count < 3; count++)
      customers.push(await saveAiCustomer(stress.superuser, { model: stress.model, included: 5, month: '2020-01' }));
    const months = async () =>
      (
        await stress.superuser.query<{ customer_id: string; grants: number; month: string }>(
          `select a.customer_id, a.month, count(*)::int as grants from ai_account a
           join ai_ledger_entry e on e.customer_id = a.customer_id and e.kind = 'monthly_included'
           where a.customer_id = any($1) group by a.customer_id, a.month`,
          [customers],
        )
      ).rows;
    // What a grant is read from: a locked account itself would be left for the next time.
    const release = await holdLock(stress.database, 'lock table customer_service in access exclusive mode');
    const worker = await startWorkerProcess(settings);
    await waitForLocks(stress.superuser, 1);
    worker.child.kill('SIGTERM');
    await delay(1000);
    expect(worker.child.exitCode).toBeNull();
    await release();
    expect(await worker.exited).toEqual({ code: 0, signal: null });
    // The one it was at is whole: rolled over, and granted once.
    const rolled = (await months()).filter(({ month }) => month !== '2020-01');
    expect(rolled).toHaveLength(1);
    expect(rolled[0]?.grants).toBe(2);
    const next = await startWorkerProcess(settings);
    await until(async () => (await months()).every(({ month }) => month !== '2020-01'));
    expect((await months()).map(({ grants }) => grants)).toEqual([2, 2, 2]);
    next.child.kill('SIGTERM');
    expect(await next.exited).toEqual({ code: 0, signal: null });
    expect(worker.output() + next.output()).not.toMatch(/"level":"error"/);
  }, 60_000);
});
