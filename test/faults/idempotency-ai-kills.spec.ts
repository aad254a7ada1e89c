import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { faker } from '@test/faker';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { type AiStress, openAiStress } from '@test/ai-stress';
import type { ApiProcess } from '@test/api-process';
import {
  askKeyed,
  eventsIn,
  type KeyedMessage,
  type MessageReply,
  sendKeyed,
  type SentMessage,
} from '@test/keyed-message';
import { type HoldPoint, startStatementGate, type StatementGate } from '@test/statement-gate';

/** Within this time after its process died, a key is free or has its reply. */
const ENDED_WITHIN_MS = 20_000;
/** Processes that are killed; `npm run accept:ai-kills` needs 8 to come to every step. */
const KILLS = Number(process.env.ACCEPT_KILLS ?? 1);
/** Steps of a process beside the two in the database, which hold up all that come after them. */
const OTHERS = 2;

/** How far a call had come when its process died. */
interface Step {
  name: string;
  /** What the process sends, or is answered, on its way to the database. */
  point?: HoldPoint;
  /** How the provider answers. */
  upstream?: Record<string, number | true>;
  /** Until when the client waits. */
  seen?: (reply: MessageReply) => boolean;
  /** Whether the provider was called, and whether the call was charged. */
  called: boolean;
  charged: boolean;
}

const IN_DATABASE: Step[] = [
  { name: 'before the reservation', point: { sent: ['ai.reserve'] }, called: false, charged: false },
  { name: 'after the reservation', point: { sent: ['ai.reserve'], reply: true }, called: false, charged: false },
  { name: 'before the settlement', point: { sent: ['ai.settle'] }, called: true, charged: false },
  { name: 'after the settlement', point: { sent: ['ai.settle'], reply: true }, called: true, charged: true },
];
const AT_PROVIDER: Step = { name: 'while the provider works', upstream: { hang: true }, called: true, charged: false };
const ANSWERED: Step = { name: 'after the reply', seen: ({ whole }) => whole, called: true, charged: true };
const PLAIN: Step[] = [
  ...IN_DATABASE,
  AT_PROVIDER,
  { name: 'with half of the answer', upstream: { 'slow-body': 600_000 }, called: true, charged: false },
  ANSWERED,
];
const atEvent = (count: number): Step => ({
  name: `at event ${count}`,
  upstream: { 'stream-hang': count },
  seen: (reply) => eventsIn(reply) >= count,
  called: true,
  charged: false,
});
const STREAMED: Step[] = [...IN_DATABASE, AT_PROVIDER, atEvent(1), atEvent(4), ANSWERED];

type Form = Pick<KeyedMessage, 'path' | 'stream'>;
type Case = Form & { step: Step };

const CASES: Case[] = (['/ai/messages', '/ai/v1/messages'] as const).flatMap((path) => [
  ...PLAIN.map((step) => ({ path, stream: false, step })),
  ...STREAMED.map((step) => ({ path, stream: true, step })),
]);

/** What one process is to be killed in: one settlement and one reservation at most, in this order, and others before. */
function planKills(): Case[][] {
  const shuffled = faker.helpers.shuffle(CASES);
  const of = (name: string) => shuffled.filter(({ step }) => step.point?.sent[0] === name);
  const [reservations, settlements] = [of('ai.reserve'), of('ai.settle')];
  const others = shuffled.filter(({ step }) => !step.point);
  return Array.from({ length: KILLS }, (_, kill) => [
    ...others.slice(kill * OTHERS, (kill + 1) * OTHERS),
    ...settlements.slice(kill, kill + 1),
    ...reservations.slice(kill, kill + 1),
  ]);
}

describe(`${KILLS} processes that die in AI messages with Idempotency-Keys, while no worker runs`, () => {
  let stress: AiStress;
  let provider: Sandbox;
  let gate: StatementGate;
  let survivor: ApiProcess;

  beforeAll(async () => {
    stress = await openAiStress({}, { isWorkerDown: true });
    // The dying processes have a provider of their own, which can be told what to do with each of their calls.
    provider = await startSandbox();
    gate = await startStatementGate(Number(new URL(stress.database.url).port));
    survivor = await stress.start();
  }, 240_000);
  afterAll(async () => {
    await stress.close();
    await gate.close();
    await provider.close();
  });

  const startVictim = () =>
    stress.start({
      DATABASE_URL: stress.database.url.replace(/:\d+\//, `:${gate.port}/`),
      DATABASE_STATEMENT_TIMEOUT_MS: '30000',
      ANTHROPIC_BASE_URL: provider.urls.messages,
    });

  /** Sends a message of a customer of its own. Resolves when it has come to the step. */
  async function bringTo({ step, ...form }: Case, victim: ApiProcess) {
    const customer = await stress.customer({ purchased: 10 });
    const message: KeyedMessage = { ...form, token: customer.token, key: randomUUID(), content: 'Hello' };
    const received = provider.messages.total;
    if (step.upstream) provider.messages.script(step.upstream);
    const held = step.point && gate.holdAt(step.point);
    const sent = sendKeyed(victim.baseUrl, message);
    await held;
    if (step.called) await provider.messages.received(received + 1);
    if (step.seen) await sent.until(step.seen);
    return { step, form, customer, message, sent };
  }

  /** Retries until the key is not in progress any more, and once again. */
  async function retry(message: KeyedMessage, sent: SentMessage, diedAt: number) {
    await sent.ended;
    let reply = await askKeyed(survivor.baseUrl, message);
    for (; reply.status === 409; reply = await askKeyed(survivor.baseUrl, message)) await delay(250);
    return { reply, afterMs: performance.now() - diedAt, again: await askKeyed(survivor.baseUrl, message) };
  }

  it('charge each key once, and leave it free or replayed within 20 s, wherever they were', async () => {
    const retried = [];
    for (const cases of planKills()) {
      const victim = await startVictim();
      const open = [];
      for (const one of cases) open.push(await bringTo(one, victim));
      await victim.stop('SIGKILL');
      const diedAt = performance.now();
      retried.push(...open.map(async (one) => ({ ...one, ...(await retry(one.message, one.sent, diedAt)) })));
    }
    const found = [];
    const expected = [];
    for (const { step, form, customer, sent, reply, again, afterMs } of await Promise.all(retried)) {
      const { usages, reserved, problems } = await stress.audit(customer.id);
      found.push({
        step: step.name,
        ...form,
        status: reply.status,
        whole: reply.whole,
        inTime: afterMs < ENDED_WITHIN_MS || afterMs,
        replayed: reply.replayed,
        isAsSeen: !step.charged || step.point !== undefined || reply.body.equals(sent.reply.body),
        again: again.replayed && again.body.equals(reply.body) && again.usageId === reply.usageId,
        ...{ usages, reserved, problems },
      });
      expected.push({
        step: step.name,
        ...form,
        status: form.path === '/ai/messages' ? 201 : 200,
        whole: true,
        inTime: true,
        replayed: step.charged,
        isAsSeen: true,
        again: true,
        ...{ usages: 1, reserved: 0, problems: [] },
      });
    }
    expect(found).toEqual(expected);
    // The provider was asked again for those that were not charged only.
    expect(stress.sandbox.messages.total).toBe(expected.filter(({ replayed }) => !replayed).length);
  }, 240_000);
});
