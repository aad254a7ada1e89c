import { setTimeout as delay } from 'node:timers/promises';
import { type AiStress, openAiStress, type Outcome, sendMessage } from '@test/ai-stress';
import { databaseServer, onNode } from '@test/database-server';
import { killNode, startedAt } from '@test/kill-node';
import { describeAloneOnCluster } from '@test/kinds-of-server';
import { until } from '@test/until';

const KILLS = Number(process.env.TEST_NODE_KILLS);
/** How long a node may be away, from its kill until all its customers are served again. */
const AWAY_MS = 60_000;
/** Longer than a process may give no sign of life, and than an API takes to start. */
const AWAY_SECONDS = 45;

const message = { messages: [{ role: 'user', content: 'x' }], max_tokens: 20 };

describeAloneOnCluster('AI messages while nodes of a cluster die', 'TEST_NODE_KILLS', () => {
  let stress: AiStress;
  const customers: { id: string; token: string; answered: number }[] = [];
  const outcomes = new Map<Outcome, number>();
  let workers: string[];

  beforeAll(async () => {
    stress = await openAiStress();
    workers = (await databaseServer()).nodes.slice(1);
    while ((await nodesOf(customers.map(({ id }) => id))).size < workers.length || customers.length < 8)
      customers.push({ ...(await stress.customer({ included: 10_000 })), answered: 0 });
    stress.sandbox.messages.always({ 'output-tokens': 10, delay: 20 });
  }, 240_000);
  afterAll(() => stress.close());

  /** The ports of the nodes that have the customers. */
  async function nodesOf(ids: string[]): Promise<Set<number>> {
    const { rows } = await stress.superuser.query<{ port: number }>(
      `select distinct s.nodeport as port from unnest($1::uuid[]) id
       join citus_shards s on s.shardid = get_shard_id_for_distribution_column('ai_account', id)`,
      [ids],
    );
    return new Set(rows.map(({ port }) => port));
  }

  const customersOf = async (node: string) => {
    const port = Number(new URL(node).port);
    const there = await Promise.all(customers.map(async ({ id }) => (await nodesOf([id])).has(port)));
    return customers.filter((_, at) => there[at]);
  };

  const served = () => customers.map(({ answered }) => answered);
  /** Waits until each customer has been answered since. */
  const servedSince = (before: number[]) => until(() => served().every((count, at) => count > (before[at] ?? 0)), 20);
  const reservations = async () => {
    const { rows } = await stress.superuser.query(`select 1 from ai_reservation where state = 'pending'`);
    return rows.length;
  };
  const preparedTransactions = async () => {
    const name = new URL(stress.database.url).pathname.slice(1);
    const found = await Promise.all(
      workers.map((url) => onNode(url, `select 1 from pg_prepared_xacts where database = '${name}'`)),
    );
    return found.flat().length;
  };

  it(`answer 503 for the customers of a node only while it is away, over ${KILLS} kills; every answer is charged once`, async () => {
    const apis = [await stress.start(), await stress.start()];
    let loading = true;
    const load = customers.flatMap((customer) =>
      apis.map(async (api) => {
        while (loading) {
          const outcome = await sendMessage(api, customer.token, message);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          if (outcome === 201) customer.answered++;
          else await delay(20);
        }
      }),
    );
    await servedSince(served());
    const away: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const killedAt = performance.now();
      await killNode(workers[kill % workers.length] ?? '');
      await servedSince(served());
      away.push(Math.round(performance.now() - killedAt));
    }
    loading = false;
    await Promise.all(load);
    // What a node that died had prepared is ended when the cluster looks, once a minute.
    await until(async () => (await preparedTransactions()) === 0, 500);
    await until(async () => (await reservations()) === 0, 500);
    let usages = 0;
    for (const { id } of customers) {
      const audit = await stress.audit(id);
      expect(audit).toMatchObject({ problems: [], reserved: 0, duplicates: 0 });
      usages += audit.usages;
    }
    const of = (outcome: Outcome) => outcomes.get(outcome) ?? 0;
    console.log(
      `${KILLS} kills: away for ${away.join(', ')} ms; ${of(201)} answered, ${of(503)} refused, ${usages} charged`,
    );
    expect([...outcomes.keys()].filter((outcome) => outcome !== 201 && outcome !== 503)).toEqual([]);
    expect(of(503)).toBeGreaterThan(0);
    // A call whose settlement was committed while its answer was lost is charged, and was told 503.
    expect(usages).toBeGreaterThanOrEqual(of(201));
    expect(usages).toBeLessThanOrEqual(of(201) + of(503));
    expect(Math.max(...away)).toBeLessThan(AWAY_MS);
  }, 1_200_000);

  it('a killed API’s reservations are given back, and an API that starts answers, while another node is away', async () => {
    const [mine, other] = workers as [string, string];
    const [customer] = (await customersOf(mine)) as [(typeof customers)[number]];
    const gate = stress.sandbox.messages.hold();
    const api = await stress.start();
    const lost = sendMessage(api, customer.token, message);
    await gate.holding(1);
    const back = killNode(other, AWAY_SECONDS);
    await until(async () => (await startedAt(other)) === undefined, 50);
    await api.stop('SIGKILL');
    expect(await lost).toBe('cut');
    const reserved = async () => {
      const rows = await onNode<{ count: number }>(
        stress.database.url,
        `select count(*)::int as count from ai_reservation where customer_id = '${customer.id}' and state = 'pending'`,
      );
      return rows[0]?.count;
    };
    expect(await reserved()).toBe(1);
    await until(async () => (await reserved()) === 0, 100);
    gate.open();
    const next = await stress.start();
    expect(await sendMessage(next, customer.token, message)).toBe(201);
    // All of it while the node was away.
    expect(await startedAt(other)).toBeUndefined();
    await back;
    const [theirs] = (await customersOf(other)) as [(typeof customers)[number]];
    await until(async () => (await sendMessage(next, theirs.token, message)) === 201, 50);
    for (const { id } of [customer, theirs])
      expect(await stress.audit(id)).toMatchObject({ problems: [], reserved: 0, duplicates: 0 });
  }, 300_000);
});
