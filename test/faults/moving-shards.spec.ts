import { CustomersAtWork } from '@test/customers-at-work';
import { type AiStress, openAiStress } from '@test/ai-stress';
import { databaseServer } from '@test/database-server';
import { describeOnCluster } from '@test/kinds-of-server';

/** The moves of a rebalancing, as the handbook has them. */
const REBALANCE = `select citus_rebalance_start(shard_transfer_mode => 'block_writes') as job`;

describeOnCluster('Customers at work while shards move', () => {
  let stress: AiStress;
  beforeAll(async () => (stress = await openAiStress()), 240_000);
  afterAll(() => stress.close());

  const shardsOn = async (node: string) => {
    const { rows } = await stress.superuser.query<{ count: number }>(
      `select count(*)::int as count from citus_shards where nodeport = $1 and citus_table_type = 'distributed'`,
      [new URL(node).port],
    );
    return rows[0]!.count;
  };
  const takesShards = (node: string, takes: boolean) => {
    const { hostname, port } = new URL(node);
    return stress.superuser.query(`select citus_set_node_property($1, $2, 'shouldhaveshards', $3)`, [
      hostname,
      port,
      takes,
    ]);
  };

  it('get every request answered, some of them after a 503, and each has its effect once', async () => {
    const node = (await databaseServer()).nodes.at(-1) as string;
    const before = await shardsOn(node);
    const work = new CustomersAtWork(stress, await stress.start());
    await work.add(8);
    work.start();
    await work.servedSince();
    const seconds: number[] = [];
    for (const [takes, shards] of [
      [false, 0],
      [true, before],
    ] as const) {
      const startedAt = performance.now();
      await takesShards(node, takes);
      const { rows } = await stress.superuser.query<{ job: string }>(REBALANCE);
      await stress.superuser.query('select citus_job_wait($1)', [rows[0]?.job]);
      seconds.push(Math.round((performance.now() - startedAt) / 1000));
      expect(await shardsOn(node)).toBe(shards);
      await work.servedSince();
    }
    await work.end();
    console.log(
      `${before} shards moved there in ${seconds.join(' s and back in ')} s; replies ${JSON.stringify(work.replies)}, the longest wait ${work.longestMs} ms`,
    );
    expect(Object.keys(work.replies).filter((status) => !['201', '409', '503'].includes(status))).toEqual([]);
    for (const { kept, told } of await work.books()) expect(kept).toEqual(told);
  }, 900_000);
});
