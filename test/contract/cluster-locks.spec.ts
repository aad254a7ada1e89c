import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { clientSettings, PartitionsService } from '@platform/database';
import { setDatabaseClock } from '@test/database-clock';
import { onNode } from '@test/database-server';
import { describeOnCluster } from '@test/kinds-of-server';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

describeOnCluster('a partition whose shard somebody uses on a node', () => {
  let source: DataSource;
  let holder: Client;

  beforeAll(async () => {
    const { options } = clientSettings(database.config, 'account_operator');
    source = await new DataSource({ type: 'postgres', url: database.url, extra: { options } }).initialize();
    holder = new Client({ connectionString: database.workers[0] });
    await holder.connect();
  });
  afterAll(async () => {
    await holder.end();
    await source.destroy();
    await setDatabaseClock(database.superuser, 'right');
  });

  it('is waited for 100 ms at a time, on the node too, and dropped when it is free', async () => {
    await database.superuser.query(`select app.create_partition('audit_log', '2031-03-01')`);
    await setDatabaseClock(database.superuser, { standsAt: '2031-06-01T00:00:00Z' });
    const { port } = new URL(database.workers[0] ?? '');
    const [shard] = await onNode<{ name: string }>(
      database.url,
      `select shard_name as name from citus_shards
       where table_name = 'partitions.audit_log_2031_03'::regclass and nodeport = ${port} limit 1`,
    );
    await holder.query(`begin; select from ${shard?.name} limit 1`);
    const given = new AbortController();
    const dropping = new PartitionsService(source).drop('audit_log', '2031-03-01', given.signal);
    // Without the limit on the node it would wait until the holder ends.
    setTimeout(() => given.abort(), 100);
    const released = setTimeout(() => void holder.query('rollback'), 30_000);
    try {
      await expect(dropping).rejects.toMatchObject({ code: '55P03' });
    } finally {
      clearTimeout(released);
      await holder.query('rollback');
    }
    expect(await new PartitionsService(source).drop('audit_log', '2031-03-01')).toBe(true);
  });
});
