import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { allowSms } from '@test/factories/sms-settings.factory';
import { databaseHasServed } from '@test/served-time';
import { type HoldPoint, startStatementGate, type StatementGate } from '@test/statement-gate';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';

/** Within this time after its process died, a key is free or has its reply. */
const ENDED_WITHIN_MS = 20_000;

const before = (...sent: string[]): HoldPoint => ({ sent });
const after = (...sent: string[]): HoldPoint => ({ sent, reply: true });

/** Steps of a request that is one transaction, in which the statement named is the effect. */
const together = (effect: string): HoldPoint[] => [
  before('idempotency.claim'),
  after('idempotency.claim'),
  before(effect),
  after(effect),
  before('idempotency.complete'),
  after('idempotency.complete'),
  before('idempotency.complete', 'commit'),
  after('idempotency.complete', 'commit'),
];

interface Post {
  path: string;
  /** The body of a step's request. */
  body: (step: number) => object;
  table: string;
  steps: HoldPoint[];
  /** Statuses that a retry may end with. */
  ends: number[];
}

const POSTS: Post[] = [
  {
    path: '/support/tickets',
    body: () => ({ title: 'Printer', body: 'It is on fire' }),
    table: 'support_ticket',
    steps: together('support.open'),
    ends: [201],
  },
  {
    path: '/ai/credit-requests',
    body: () => ({ amount_nok: 500 }),
    table: 'ai_credit_request',
    steps: together('credit-requests.create'),
    ends: [201],
  },
  {
    path: '/sms/send',
    body: (step) => ({ to: `+47900000${String(step).padStart(2, '0')}`, message: 'Hello' }),
    table: 'sms_message',
    steps: [
      before('sms.create'),
      after('sms.create'),
      before('idempotency.claim'),
      after('idempotency.claim'),
      after('idempotency.claim', 'commit'),
      before('sms.record-outcome'),
      after('sms.record-outcome'),
      before('idempotency.complete'),
      after('idempotency.complete'),
      before('idempotency.complete', 'commit'),
      after('idempotency.complete', 'commit'),
    ],
    // Where the gateway may have been called, a retry is told that nobody knows.
    ends: [201, 502],
  },
];

describe('a process that dies anywhere in a request with an Idempotency-Key', () => {
  let database: TestDatabase;
  let superuser: Client;
  let sandbox: Sandbox;
  let gate: StatementGate;
  let settings: Record<string, string>;
  let survivor: ApiProcess;
  let worker: WorkerProcess;

  beforeAll(async () => {
    sandbox = await startSandbox();
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
    gate = await startStatementGate(Number(new URL(database.url).port));
    settings = {
      SANDBOX_URL: sandbox.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      SMS_GATEWAY_TIMEOUT_MS: '3000',
      DATABASE_POOL_SIZE: '30',
    };
    survivor = await startApiProcess({ ...settings, DATABASE_URL: database.url });
    worker = await startWorkerProcess({ ...settings, DATABASE_URL: database.url });
  }, 240_000);
  afterAll(async () => {
    await Promise.all([survivor.stop(), worker.stop()]);
    await gate.close();
    await superuser.end();
    await sandbox.close();
    await database.drop();
  });

  /** A customer of its own for each step, so that effects can be told apart. */
  async function createSender(post: Post, step: number) {
    const { id } = await saveFakeCustomer(superuser);
    const { token } = await saveFakeToken(superuser, id);
    await enableAi(superuser, id, { model: await saveModelPrice(superuser), included: 10 });
    await allowSms(superuser, id);
    const key = randomUUID();
    const send = (api: ApiProcess) =>
      fetch(`${api.baseUrl}${post.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(post.body(step)),
      });
    return { id, send };
  }

  /** Retries until the key is not in progress any more. */
  async function retryUntilEnded(send: (api: ApiProcess) => Promise<Response>): Promise<Response> {
    for (;;) {
      const reply = await send(survivor);
      if (reply.status !== 409) return reply;
      await reply.body?.cancel();
      await delay(250);
    }
  }

  it.each(POSTS)(
    'has one effect at most, and its key is free or has its reply within 20 s: POST $path',
    async (post) => {
      const victim = await startApiProcess({
        ...settings,
        DATABASE_URL: database.url.replace(/:\d+\//, `:${gate.port}/`),
        DATABASE_STATEMENT_TIMEOUT_MS: '30000',
      });
      const senders = [];
      for (const [number, step] of post.steps.entries()) {
        const sender = await createSender(post, number);
        const held = gate.holdAt(step);
        const lost = sender.send(victim).catch(() => undefined);
        await held;
        senders.push({ ...sender, step, lost });
      }
      await victim.stop('SIGKILL');
      await databaseHasServed(superuser);
      const diedAt = Date.now();
      const ended = await Promise.all(
        senders.map(async ({ id, step, send, lost }) => {
          await lost;
          const reply = await retryUntilEnded(send);
          const body = await reply.text();
          const inTime = Date.now() - diedAt < ENDED_WITHIN_MS;
          const again = await send(survivor);
          const { rows } = await superuser.query<{ effects: number }>(
            `select count(*)::int as effects from ${post.table} where customer_id = $1`,
            [id],
          );
          const isKept = again.headers.get('idempotency-replayed') === 'true' && (await again.text()) === body;
          return { step, isEnd: post.ends.includes(reply.status), inTime, isKept, effects: rows[0]?.effects };
        }),
      );
      expect(ended).toEqual(post.steps.map((step) => ({ step, isEnd: true, inTime: true, isKept: true, effects: 1 })));
      const recipients = sandbox.elks46.accepted.map(({ to }) => to);
      expect(new Set(recipients).size).toBe(recipients.length);
    },
    240_000,
  );
});
