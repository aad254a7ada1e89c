import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { faker } from '@test/faker';
import { type AiStress, openAiStress } from '@test/ai-stress';
import type { ApiProcess } from '@test/api-process';
import { askKeyed, eventsIn, type KeyedMessage, type MessageReply, sendKeyed } from '@test/keyed-message';
import { type RecordingUpstream, startRecordingUpstream } from '@test/recording-upstream';
import { until } from '@test/until';

/** `npm run accept:lost-replies` loses 1,000. */
const LOST = Number(process.env.ACCEPT_LOST ?? 30);
const AT_ONCE = 12;
const KILLS = Math.max(1, Math.round(LOST / 250));
const MINUTES = 60_000 * Math.max(2, LOST / 60);
/** Longer than a busy machine keeps anybody waiting. */
const PATIENT = { AI_UPSTREAM_TIMEOUT_MS: '120000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };

/** When the client's connection breaks. */
const MOMENTS = ['while it waits', 'at the head', 'in the body', 'at the end'] as const;

interface Plan {
  message: KeyedMessage;
  moment: (typeof MOMENTS)[number];
  /** Until it breaks while the client waits. */
  waitMs: number;
  /** Which part of the body comes before it breaks. */
  events: number;
}

/** A reply that was lost, and those to the retries with its key. */
interface Retried extends Plan {
  lost: MessageReply;
  final: MessageReply;
  again: MessageReply;
}

interface Charge {
  id: string;
  upstreamId: string;
  entries: number;
}

describe(`${LOST} replies that are lost on the way, retried with their keys, over two processes that are killed`, () => {
  let stress: AiStress;
  let provider: RecordingUpstream;
  let processes: ApiProcess[];
  let customer: { id: string; token: string };
  let plans: Plan[];
  let charges: Map<string, Charge>;
  const retried: Retried[] = [];

  beforeAll(async () => {
    stress = await openAiStress(PATIENT);
    provider = await startRecordingUpstream(stress.sandbox.urls.messages);
    const start = () => stress.start({ ANTHROPIC_BASE_URL: provider.url });
    processes = await Promise.all([start(), start()]);
    customer = await stress.customer({ purchased: 1_000_000 });
    plans = Array.from({ length: LOST }, () => plan(customer.token));
    await Promise.all([kill(start), ...Array.from({ length: AT_ONCE }, (_, worker) => loseAndRetry(worker))]);
    charges = await chargesOf(stress, customer.id);
  }, MINUTES);
  afterAll(async () => {
    await stress.close();
    await provider.close();
  });

  async function loseAndRetry(worker: number): Promise<void> {
    for (let next = worker; next < LOST; next += AT_ONCE) {
      const one = plans[next]!;
      const lost = await lose(processes[next % 2]!, one);
      const final = await retry(() => processes[faker.number.int(1)]!, one.message);
      const again = await retry(() => processes[faker.number.int(1)]!, one.message);
      retried.push({ ...one, lost, final, again });
    }
  }

  async function kill(start: () => Promise<ApiProcess>): Promise<void> {
    for (let count = 1; count <= KILLS; count++) {
      await until(() => retried.length >= (count * LOST) / (KILLS + 1));
      await processes[count % 2]!.stop('SIGKILL');
      processes[count % 2] = await start();
    }
  }

  it('charges each key once', async () => {
    expect(retried).toHaveLength(LOST);
    const ids = retried.map(({ final }) => final.usageId);
    expect(new Set(ids).size).toBe(LOST);
    expect(charges.size).toBe(LOST);
    expect(ids.filter((id) => charges.get(id ?? '')?.entries !== 1)).toEqual([]);
    const { problems, reserved, usages } = await stress.audit(customer.id);
    expect({ problems, reserved, usages }).toEqual({ problems: [], reserved: 0, usages: LOST });
    // A call that a killed process had made may have been made again, uncharged the first time.
    expect(provider.total()).toBeGreaterThanOrEqual(LOST);
    expect(provider.total()).toBeLessThanOrEqual(LOST + KILLS * AT_ONCE);
  });

  it('gives every retry the reply of the call that was charged, byte for byte as the provider sent it', () => {
    const faults = retried.filter(({ message, final, again }) => {
      const sent = provider.replyOf(charges.get(final.usageId ?? '')?.upstreamId ?? '');
      const status = message.path === '/ai/messages' ? 201 : 200;
      const same = [final, again].every((reply) => reply.status === status && sent?.equals(reply.body));
      return !same || !again.replayed || again.usageId !== final.usageId;
    });
    expect(faults.map(told)).toEqual([]);
  });

  it('had begun to send the same reply where the connection broke, unless that call was not charged', () => {
    const begun = retried.filter(({ lost }) => lost.body.length > 0);
    const faults = begun.filter(({ lost, final }) =>
      lost.usageId === final.usageId
        ? !final.replayed || !final.body.subarray(0, lost.body.length).equals(lost.body)
        : charges.has(lost.usageId ?? ''),
    );
    expect(faults.map(told)).toEqual([]);
    expect(begun.length).toBeGreaterThan(0);
    expect(retried.filter(({ final }) => final.replayed).length).toBeGreaterThan(LOST / 2);
  });
});

function plan(token: string): Plan {
  const [stream, key] = [faker.datatype.boolean(), randomUUID()];
  const tokens = faker.number.int({ min: 5, max: 90 });
  const pauseMs = faker.number.int({ min: 0, max: 10 });
  const content = `[[sandbox:output-tokens=${tokens}]]${stream ? `[[sandbox:events=8]][[sandbox:event-delay=${pauseMs}]]` : ''}`;
  return {
    message: { path: faker.helpers.arrayElement(['/ai/messages', '/ai/v1/messages']), stream, token, key, content },
    moment: faker.helpers.arrayElement(MOMENTS),
    waitMs: faker.number.int({ min: 0, max: 60 }),
    events: faker.number.int({ min: 1, max: 8 }),
  };
}

/** Sends the request, and breaks the connection at the moment planned. */
async function lose({ baseUrl }: ApiProcess, { message, moment, waitMs, events }: Plan): Promise<MessageReply> {
  const sent = sendKeyed(baseUrl, message);
  if (moment === 'while it waits') await Promise.race([delay(waitMs), sent.ended]);
  else if (moment === 'at the head') await sent.until(({ status }) => status !== undefined);
  else if (moment === 'in the body')
    await sent.until((reply) => (message.stream ? eventsIn(reply) >= events : reply.body.length > 0));
  else await sent.until(({ whole }) => whole);
  sent.lose();
  return sent.ended;
}

/** Sends it again, as the guide says, until it is answered. */
async function retry(next: () => ApiProcess, message: KeyedMessage): Promise<MessageReply> {
  for (;;) {
    const reply = await askKeyed(next().baseUrl, message);
    const isOver = reply.whole && ![409, 502, 503].includes(reply.status ?? 0) && !reply.body.includes('event: error');
    if (isOver) return reply;
    await delay(100);
  }
}

/** The charges by the id of the usage. */
async function chargesOf({ superuser }: AiStress, customerId: string): Promise<Map<string, Charge>> {
  const { rows } = await superuser.query<Charge>(
    `select u.id, u.request_id as "upstreamId", count(e.id)::int as entries
     from ai_usage u left join ai_ledger_entry e on e.customer_id = u.customer_id and e.usage_id = u.id
     where u.customer_id = $1 group by 1, 2`,
    [customerId],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function told({ moment, message, lost, final, again }: Retried) {
  const short = ({ body, ...reply }: MessageReply) => ({ ...reply, bytes: body.length });
  return { moment, ...message, lost: short(lost), final: short(final), again: short(again) };
}
