import { setTimeout as delay } from 'node:timers/promises';
import { saveAiCustomer } from '@test/ai-factories';
import { type AiStress, openAiStress, sendMessage } from '@test/ai-stress';
import { sendPartialBody } from '@test/partial-body';
import { holdLock, waitForLocks } from '@test/locks';
import { until } from '@test/until';
import { startWorkerProcess } from '@test/worker-process';

const MESSAGE = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };

describe('SIGTERM', () => {
  let stress: AiStress;
  beforeAll(async () => (stress = await openAiStress()));
  afterAll(() => stress.close());
  beforeEach(() => stress.sandbox.reset());

  it('finishes calls of disconnected clients: they are charged before the process ends', async () => {
    const api = await stress.start();
    const { id, token } = await stress.customer({ included: 50 });
    const gate = stress.sandbox.messages.hold();
    const url = `${api.baseUrl}/ai/messages`;
    const callers = await Promise.all(
      Array.from({ length: 5 }, () => sendPartialBody(url, token, JSON.stringify(MESSAGE))),
    );
    const replies = callers.map((caller) => caller.finish());
    await stress.sandbox.messages.received(5);
    for (const caller of callers) caller.hangUp();
    expect(await Promise.all(replies)).toEqual(Array(5).fill(''));
    const exit = api.stop('SIGTERM');
    await until(() =>
      fetch(`${api.origin}/health/ready`).then(
        () => false,
        () => true,
      ),
    );
    // No connection is open any more: a process that waits only for its clients would have ended.
    await delay(1000);
    expect(api.child.exitCode).toBeNull();
    gate.open();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(await stress.audit(id)).toMatchObject({ problems: [], reserved: 0, usages: 5, duplicates: 0 });
  }, 240_000);

  it('gives up calls that outlast the grace time: answered so, released, uncharged', async () => {
    const alive = async () => (await stress.superuser.query('select from process_liveness')).rowCount;
    const others = await alive();
    const api = await stress.start({ SHUTDOWN_GRACE_MS: '4000', AI_UPSTREAM_TIMEOUT_MS: '120000' });
    const { id, token } = await stress.customer({ included: 50 });
    stress.sandbox.messages.always({ hang: true });
    const calls = Array.from({ length: 3 }, () => sendMessage(api, token, MESSAGE));
    await stress.sandbox.messages.received(3);
    expect(await api.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await Promise.all(calls)).toEqual([502, 502, 502]);
    // It has said that it ends: what it had left would be given up at once.
    expect(await alive()).toBe(others);
    expect(await stress.audit(id)).toMatchObject({ problems: [], reserved: 0, spent: 0, usages: 0 });
  }, 240_000);

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
    // Locks what a grant reads: a locked account itself would be skipped.
    const release = await holdLock(stress.database, 'lock table customer_service in access exclusive mode');
    const worker = await startWorkerProcess(settings);
    await waitForLocks(stress.superuser, 1);
    worker.child.kill('SIGTERM');
    await delay(1000);
    expect(worker.child.exitCode).toBeNull();
    await release();
    expect(await worker.exited).toEqual({ code: 0, signal: null });
    // Its current account is complete: rolled over, and granted once.
    const rolled = (await months()).filter(({ month }) => month !== '2020-01');
    expect(rolled).toHaveLength(1);
    expect(rolled[0]?.grants).toBe(2);
    const next = await startWorkerProcess(settings);
    await until(async () => (await months()).every(({ month }) => month !== '2020-01'));
    expect((await months()).map(({ grants }) => grants)).toEqual([2, 2, 2]);
    next.child.kill('SIGTERM');
    expect(await next.exited).toEqual({ code: 0, signal: null });
    expect(worker.output() + next.output()).not.toMatch(/"level":"error"/);
  }, 240_000);
});
