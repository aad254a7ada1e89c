import { Logger } from '@nestjs/common';
import { LedgerRetentionService } from '@domains/ai';
import { PartitionsService } from '@platform/database';
import type { Job, JobRunnerService } from '@platform/jobs';
import { Metrics } from '@platform/metrics';
import { createLedgerFixture, type LedgerFixture } from '@test/ledger.fixture';
import { createPartition, holdLock } from '@test/locks';
import { timedId } from '@test/timed-id';
import { PartitionJobs } from '../../apps/worker/src/partition-jobs';

describe('The job of the partitions', () => {
  beforeAll(() => Logger.overrideLogger(false));
  let fixture: LedgerFixture;
  let metrics: Metrics;
  let job: Job | undefined;
  beforeAll(async () => {
    fixture = await createLedgerFixture({ AUDIT_RETENTION_MONTHS: '3', PARTITION_MONTHS_AHEAD: '2' });
    metrics = new Metrics();
    const runner = { register: (given: Job) => (job = given) } as unknown as JobRunnerService;
    const { operator, database } = fixture;
    const [partitions, ledger] = [operator.get(PartitionsService), operator.get(LedgerRetentionService)];
    new PartitionJobs(runner, partitions, ledger, database.config, metrics).onModuleInit();
    for (const month of ['2030-04', '2030-05'])
      for (const table of ['audit_log', 'ai_usage', 'event', 'webhook_delivery'])
        await createPartition(fixture.superuser, table, `${month}-01`);
    await createPartition(fixture.superuser, 'event', '2030-06-01');
    await fixture.setTime('2030-08-15T12:00:00Z');
  });
  afterAll(() => fixture.close());

  const run = () => job?.run(new AbortController().signal);
  const months = async (table: string) =>
    (
      await fixture.superuser.query<{ name: string }>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass
         and inhrelid::regclass::text like '%2030%' order by 1`,
        [table],
      )
    ).rows.map(({ name }) => name.slice(-7));
  /** Stores rows of the audit log, a second apart. */
  const record = (time: string, count: number) =>
    fixture.superuser.query(
      `insert into audit_log (customer_id, id, actor, action)
       select gen_random_uuid(), app.first_id($1::timestamptz + n * interval '1 second'), 'x', 'x' from generate_series(1, $2::integer) n`,
      [time, count],
    );
  const rowsSince = async (time: string, before: string) => {
    const { rows } = await fixture.superuser.query<{ rows: number }>(
      `select count(*)::int as rows from audit_log where id >= app.first_id($1) and id < app.first_id($2)`,
      [time, before],
    );
    return rows[0]?.rows;
  };
  const stray = async () => (await metrics.registry.getSingleMetric('database_default_partition_rows')!.get()).values;

  it('makes the months without a partition that have rows, and drops those past their retention at once', async () => {
    await record('2030-02-10T00:00:00Z', 2);
    await record('2030-06-10T00:00:00Z', 3);
    await run();
    expect(await months('audit_log')).toEqual(['2030_05', '2030_06', '2030_08', '2030_09', '2030_10']);
    expect(await rowsSince('2030-02-01T00:00:00Z', '2030-03-01T00:00:00Z')).toBe(0);
    expect(await rowsSince('2030-06-01T00:00:00Z', '2030-07-01T00:00:00Z')).toBe(3);
    expect(await stray()).toContainEqual({ labels: { table: 'audit_log' }, value: 0 });
  });

  it('leaves a month with very many rows to the operator, and reports them', async () => {
    await record('2030-07-01T00:00:00Z', 100_001);
    await run();
    expect(await months('audit_log')).not.toContain('2030_07');
    expect(await stray()).toContainEqual({ labels: { table: 'audit_log' }, value: 10_000 });
    await createPartition(fixture.superuser, 'audit_log', '2030-07-01');
    await run();
    expect(await stray()).toContainEqual({ labels: { table: 'audit_log' }, value: 0 });
  });

  it('makes months ahead, and drops those past their retention and no others', async () => {
    await run();
    expect(await months('audit_log')).toEqual(['2030_05', '2030_06', '2030_07', '2030_08', '2030_09', '2030_10']);
    expect(await months('ai_usage')).toEqual(['2030_04', '2030_05', '2030_08', '2030_09', '2030_10']);
    // Events can be read for 30 days: two months are kept besides the present one, for February.
    expect(await months('event')).toEqual(['2030_06', '2030_08', '2030_09', '2030_10']);
    expect(await months('webhook_delivery')).toEqual(['2030_08', '2030_09', '2030_10']);
    expect((await stray()).map(({ value }) => value)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('makes the months of all tables, and drops those of the others, if one cannot be dropped', async () => {
    await fixture.setTime('2030-09-15T12:00:00Z');
    const release = await holdLock(fixture.database, 'lock table partitions.audit_log_2030_05 in access share mode');
    await expect(run()).rejects.toThrow(AggregateError);
    for (const table of ['audit_log', 'ai_usage', 'event', 'webhook_delivery'])
      expect(await months(table)).toContain('2030_11');
    expect(await months('audit_log')).toContain('2030_05');
    expect(await months('event')).not.toContain('2030_06');
    await release();
    await run();
    expect(await months('audit_log')).not.toContain('2030_05');
  });

  it('reports rows without a monthly partition', async () => {
    await fixture.superuser.query(
      `insert into audit_log (customer_id, id, actor, action) values (gen_random_uuid(), $1, 'x', 'x')`,
      [timedId('2050-01-01T00:00:00Z')],
    );
    await run();
    expect(await stray()).toContainEqual({ labels: { table: 'audit_log' }, value: 1 });
  });
});
