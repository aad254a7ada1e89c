import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { faker } from '@test/faker';
import { type AiStress, openAiStress } from '@test/ai-stress';
import type { ApiProcess } from '@test/api-process';
import { startStatementGate, type StatementGate } from '@test/statement-gate';
import { startTcpProxy, type TcpProxy } from '@test/tcp-proxy';
import { until } from '@test/until';

/** Of each kind. `npm run accept:settlements` disturbs 200, with the settings of production. */
const CALLS = Number(process.env.ACCEPT_SETTLEMENTS ?? 8);
const LARGE = CALLS > 8;
/** Processes that are disturbed at the same time. */
const LANES = LARGE ? 10 : 2;
/** Calls of a process that are disturbed together. */
const TOGETHER = LARGE ? 4 : 2;
const MARGIN_MS = LARGE ? 60_000 : 10_000;
/** For which a settlement is repeated: a database that is back by then leaves no doubt. */
const REPEATED_MS = MARGIN_MS / 2;
const LONGEST_MS = LARGE ? 60_000 : 9_000;
const SHORTEST_MS = LARGE ? 5_000 : 3_000;
const MOST_UNKNOWN = 5;
const MINUTES = 60_000 * (LARGE ? 60 : 3);

const STEPS = ['before the settlement is stored', 'before its reply', 'while the provider answers'] as const;

interface Call {
  id: string;
  kind: 'stopped' | 'database away';
  step: (typeof STEPS)[number];
  ms: number;
  stream: boolean;
  status?: number;
  body: string;
}

/** What the customer was told about the charge. */
function toldOf({ status, body }: Call): 'charged' | 'not charged' | 'unknown' {
  if (body.includes('unknown whether it was charged')) return 'unknown';
  const answered =
    status !== undefined && status < 300 && (!body.includes('event:') || body.includes('event: message_stop'));
  return answered ? 'charged' : 'not charged';
}

describe(`${CALLS} settlements whose process is stopped, and ${CALLS} with the database away`, () => {
  let stress: AiStress;
  let customer: { id: string; token: string };
  const calls: Call[] = [];

  beforeAll(async () => {
    stress = await openAiStress({
      AI_RESERVATION_MARGIN_MS: String(MARGIN_MS),
      ...(!LARGE && { DATABASE_STATEMENT_TIMEOUT_MS: '3000' }),
    });
    customer = await stress.customer({ purchased: 1_000_000 });
    const rounds = Math.ceil(CALLS / LANES / TOGETHER);
    const lane = async (kind: Call['kind'], place: number) => {
      const url = new URL(stress.database.url);
      const gate = await startStatementGate(Number(url.port));
      const proxy = await startTcpProxy(gate.port);
      url.port = String(proxy.port);
      const api = await stress.start({ DATABASE_URL: url.href });
      for (let round = 0; round < rounds; round++) {
        const step = STEPS[(place + round) % STEPS.length]!;
        await disturb({ kind, step }, api, gate, proxy);
      }
      await api.stop('SIGKILL');
      await proxy.close();
      await gate.close();
    };
    for (const kind of ['stopped', 'database away'] as const) {
      await Promise.all(Array.from({ length: LANES }, (_, place) => lane(kind, place)));
    }
    const pending = `select count(*)::int as count from ai_reservation where state = 'pending'`;
    await until(async () => (await stress.superuser.query<{ count: number }>(pending)).rows[0]?.count === 0);
  }, MINUTES);
  afterAll(() => stress.close());

  /** Sends calls, and disturbs their process or its connections at one of their steps. */
  async function disturb(
    { kind, step }: Pick<Call, 'kind' | 'step'>,
    api: ApiProcess,
    gate: StatementGate,
    proxy: TcpProxy,
  ): Promise<void> {
    const ms = faker.number.int({ min: SHORTEST_MS, max: LONGEST_MS });
    const own = Array.from({ length: TOGETHER }, (): Call => {
      const stream = faker.datatype.boolean();
      return { id: randomUUID(), kind, step, ms, stream, body: '' };
    });
    calls.push(...own);
    const point = { sent: ['ai.settle'], reply: step === 'before its reply' };
    const there =
      step === 'while the provider answers' ? delay(faker.number.int({ min: 0, max: 120 })) : gate.holdAt(point);
    const sent = own.map((call) => send(api, call));
    await there;
    if (kind === 'stopped') api.child.kill('SIGSTOP');
    else if (faker.datatype.boolean()) proxy.hang();
    else proxy.down();
    await delay(ms);
    if (kind === 'stopped') api.child.kill('SIGCONT');
    else proxy.up();
    await Promise.all(sent);
  }

  async function send({ baseUrl }: ApiProcess, call: Call): Promise<void> {
    const reply = await fetch(`${baseUrl}/ai/messages`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
        ...{ 'x-request-id': call.id, 'idempotency-key': call.id },
      },
      body: JSON.stringify({
        ...{ messages: [{ role: 'user', content: '[[sandbox:delay=60]]Hello' }], max_tokens: 50, stream: call.stream },
      }),
    });
    call.status = reply.status;
    call.body = await reply.text();
  }

  it('are charged or not as their customer was told', async () => {
    const { rows } = await stress.superuser.query<{ id: string }>(
      'select api_request_id as id from ai_usage where customer_id = $1',
      [customer.id],
    );
    const charges = rows.map(({ id }) => id);
    const [told, unknown] = [calls.map(toldOf), calls.filter((call) => toldOf(call) === 'unknown')];
    const count = (one: string) => told.filter((other) => other === one).length;
    const summary = { charged: count('charged'), notCharged: count('not charged'), unknown: unknown.length };
    process.stdout.write(`Customers were told: ${JSON.stringify(summary)}\n`);
    const wrong = calls.filter((call, index) => {
      const times = charges.filter((id) => id === call.id).length;
      if (told[index] === 'unknown') return times > 1;
      return times !== (told[index] === 'charged' ? 1 : 0);
    });
    expect(wrong).toEqual([]);
    expect(unknown.filter(({ ms }) => ms < REPEATED_MS)).toEqual([]);
    expect(unknown.length).toBeLessThanOrEqual(MOST_UNKNOWN);
    const { problems, reserved, duplicates } = await stress.audit(customer.id);
    expect({ problems, reserved, duplicates }).toEqual({ problems: [], reserved: 0, duplicates: 0 });
  });
});
