import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Test, type TestingModule } from '@nestjs/testing';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { NestLogger } from '@platform/logging';
import { Metrics } from '@platform/metrics';
import { useTestDatabase } from '@test/use-test-database';
import { until } from '@test/until';
import { JobQueueService } from './job-queue.service';
import { JobQueueModule } from './job-queue.module';
import { JobRunnerService } from './job-runner.service';

const database = useTestDatabase();

describe("The jobs' metrics", () => {
  let worker: TestingModule;
  const log = new PassThrough();
  const SHORT = { everyMs: 100, leaseMs: 60_000 };

  const untilAborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

  beforeAll(async () => {
    const imports = [ConfigModule.for(database.config), DatabaseModule.as('account_operator'), JobQueueModule];
    worker = await Test.createTestingModule({ imports })
      .setLogger(new NestLogger({ ...database.config, LOG_LEVEL: 'error' }, log))
      .compile();
    const runner = worker.get(JobRunnerService);
    runner.register({ ...SHORT, name: 'test.works', run: () => Promise.resolve() });
    runner.register({ ...SHORT, name: 'test.fails', run: () => Promise.reject(new Error('no luck')) });
    // It heeds its signal, so nothing is thrown.
    runner.register({ name: 'test.endless', everyMs: 100, leaseMs: 100, run: untilAborted });
    worker.get(JobQueueService).register({
      name: 'test.items',
      concurrency: 1,
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      first: { key: 'odd' },
      handle: (key) => Promise.reject(new Error(`nothing can be done with ${key}`)),
    });
    await worker.init();
  });
  afterAll(async () => {
    await worker.close();
  });

  /** Values by job. */
  async function read(metric: string): Promise<Record<string, number>> {
    const found = await worker.get(Metrics).registry.getSingleMetric(metric)?.get();
    return Object.fromEntries(found?.values.map(({ labels, value }) => [labels.job_name, value]) ?? []);
  }
  const failures = () => read('worker_job_failures_total');
  const ages = () => read('worker_job_last_success_seconds');

  it('count what fails, of a job or an item, and runs that take longer than they may', async () => {
    await until(async () => {
      const { 'test.fails': fails, 'test.endless': endless, 'test.items': items } = await failures();
      return [fails, endless, items].every((count) => count !== undefined && count >= 1);
    });
    expect((await failures())['test.works']).toBe(0);
  });

  it('go with log lines that name the failed job, or the queue and the item', async () => {
    let text = '';
    const failed = () => {
      text += String(log.read() ?? '');
      const lines = text.split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'job failed');
    };
    await until(() => failed().some(({ queue }) => queue) && failed().some(({ job }) => job));
    expect(failed()).toContainEqual(expect.objectContaining({ level: 'error', job: 'test.fails' }));
    expect(failed()).toContainEqual(expect.objectContaining({ level: 'error', queue: 'test.items', item: 'odd' }));
  });

  it('tell how long ago each recurring job succeeded; of one that never does, how long it has been tried', async () => {
    const { 'test.fails': failing = 0 } = await ages();
    // A timer may be a little early.
    await sleep(1_000);
    // Begins anew with each success, so it is sometimes small, however slow the machine.
    await until(async () => ((await ages())['test.works'] ?? Infinity) < 0.5);
    const after = await ages();
    expect(after['test.fails']).toBeGreaterThan(failing + 0.9);
    expect(after['test.endless']).toBeGreaterThan(0.9);
    expect(Object.keys(after).sort()).toEqual(['test.endless', 'test.fails', 'test.works']);
  });
});
