import { randomUUID } from 'node:crypto';
import { faker } from '@test/faker';
import { type AiStress, openAiStress } from '@test/ai-stress';
import type { ApiProcess } from '@test/api-process';
import { readStream, STREAM_KINDS, type StreamEnd, type StreamPlan } from '@test/stream-client';
import { until } from '@test/until';

/** `npm run accept:streams` opens 10,000. */
const STREAMS = Number(process.env.ACCEPT_STREAMS ?? 80);
const AT_ONCE = 16;
const KILLS = Math.max(2, Math.ceil(STREAMS / 500));
const MINUTES = 60_000 * Math.max(2, STREAMS / 300);

/** Longer than a busy machine keeps anybody waiting: what breaks off is meant to. */
const PATIENT = { AI_UPSTREAM_TIMEOUT_MS: '120000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };

interface Opened extends StreamPlan, StreamEnd {
  process: ApiProcess;
  /** When its client had its end, or had left. */
  endedAt: number;
}

describe(`${STREAMS} streams with hang-ups, slow readers, breaks and error events, over two processes that are killed`, () => {
  let stress: AiStress;
  let processes: ApiProcess[];
  let customer: { id: string; token: string };
  const opened: Opened[] = [];
  const plans = Array.from({ length: STREAMS }, (): StreamPlan => ({
    kind: faker.helpers.arrayElement(STREAM_KINDS),
    requestId: randomUUID(),
    outputTokens: faker.number.int({ min: 6, max: 90 }),
    pauseMs: faker.number.int({ min: 0, max: 15 }),
  }));
  const killedAt = new Map<ApiProcess, number>();
  /** Request ids of streams whose process died. */
  const givenUp = new Set<string>();

  beforeAll(async () => {
    stress = await openAiStress({ AI_STREAM_PATIENCE_MS: '5000', ...PATIENT });
    processes = await Promise.all([stress.start(), stress.start()]);
    customer = await stress.customer({ purchased: 1_000_000 });
    await run();
  }, MINUTES);
  afterAll(() => stress.close());

  async function run(): Promise<void> {
    let next = 0;
    const work = async () => {
      for (let plan = plans[next++]; plan; plan = plans[next++]) {
        const process = processes[next % 2]!;
        const end = await readStream(process.baseUrl, customer.token, plan);
        opened.push({ ...plan, ...end, endedAt: performance.now(), process });
      }
    };
    const kill = async () => {
      for (let count = 1; count <= KILLS; count++) {
        await until(() => opened.length >= (count * STREAMS) / (KILLS + 1));
        const place = count % 2;
        const victim = processes[place]!;
        killedAt.set(victim, performance.now());
        await victim.stop('SIGKILL');
        processes[place] = await stress.start();
      }
    };
    await Promise.all([kill(), ...Array.from({ length: AT_ONCE }, work)]);
    // Those that were left by their clients end, and the worker gives up those of the killed processes.
    await until(async () => (await pending()) === 0, 250);
    const { rows } = await stress.superuser.query<{ id: string }>(
      `select request_id as id from ai_reservation where customer_id = $1 and reason = 'process gone'`,
      [customer.id],
    );
    for (const { id } of rows) givenUp.add(id);
  }

  const pending = async () =>
    (await stress.superuser.query(`select from ai_reservation where state = 'pending'`)).rowCount;

  /** Whether the process of a stream was killed before it had ended. */
  const metByKill = ({ requestId, endedAt, process }: Opened) =>
    givenUp.has(requestId) || (killedAt.get(process) ?? Infinity) <= endedAt;
  const told = (streams: Opened[]) => streams.map(({ process: _, ...stream }) => stream);

  const usages = async () =>
    (
      await stress.superuser.query<{ id: string; input: number; output: number; cost: string }>(
        'select api_request_id as id, input_tokens as input, output_tokens as output, cost::text from ai_usage where customer_id = $1',
        [customer.id],
      )
    ).rows;

  it('charges what the provider finished, to the last decimal, once each, and reserves nothing in the end', async () => {
    const rows = await usages();
    const planned = new Map(opened.map((one) => [one.requestId, one]));
    for (const { id, input, output, cost } of rows) {
      expect(output).toBe(planned.get(id)?.outputTokens);
      expect(Number(cost)).toBeCloseTo((input + 5 * output) / 1000, 12);
    }
    const thousandths = rows.reduce((sum, { input, output }) => sum + input + 5 * output, 0);
    const { problems, reserved, spent, usages: count, duplicates } = await stress.audit(customer.id);
    expect({ problems, reserved, duplicates, count }).toEqual({
      problems: [],
      reserved: 0,
      duplicates: 0,
      count: rows.length,
    });
    expect(Math.round(spent * 1e9)).toBe(thousandths * 1e6);
  });

  it('charges nobody for a stream that was not there in full, and everybody who was told of its end', async () => {
    const charged = new Set((await usages()).map(({ id }) => id));
    const broken = opened.filter(({ kind }) => kind === 'cut' || kind === 'close' || kind === 'error');
    const faults = [
      ...broken.filter(({ requestId }) => charged.has(requestId)),
      ...broken.filter(({ end }) => end === 'stop'),
      ...opened.filter(({ end, requestId }) => end === 'stop' && !charged.has(requestId)),
      ...opened.filter(({ end, requestId }) => end === 'error' && charged.has(requestId)),
    ];
    expect(told(faults)).toEqual([]);
    expect(told(broken.filter((one) => one.end !== 'error' && !metByKill(one)))).toEqual([]);
  });

  it('charges those whose client hung up, or read slowly, unless their process was killed', async () => {
    const charged = new Set((await usages()).map(({ id }) => id));
    const whole = opened.filter((one) => ['read', 'slow', 'hang-up'].includes(one.kind) && !metByKill(one));
    expect(told(whole.filter(({ requestId }) => !charged.has(requestId)))).toEqual([]);
    expect(whole.length).toBeGreaterThan(0);
    expect(opened).toHaveLength(STREAMS);
  });
});
