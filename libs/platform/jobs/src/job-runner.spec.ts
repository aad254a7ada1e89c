import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { Metrics } from '@platform/metrics';
import { useTestDatabase } from '@test/use-test-database';
import { until } from '@test/until';
import { JobQueueService } from './job-queue.service';
import { JobQueueModule } from './job-queue.module';
import { type Job, JobRunnerService } from './job-runner.service';
import type { WorkQueue } from './queue-consumer';

const database = useTestDatabase();

describe('The job queue', () => {
  let workers: TestingModule[] = [];
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    workers = [];
  });

  /** A worker with these jobs and queues. */
  async function startWorker(jobs: Job[], queues: WorkQueue[] = []): Promise<TestingModule> {
    @Injectable()
    class Work implements OnModuleInit {
      constructor(
        private readonly runner: JobRunnerService,
        private readonly queue: JobQueueService,
      ) {}
      onModuleInit() {
        for (const job of jobs) this.runner.register(job);
        for (const queue of queues) this.queue.register(queue);
      }
    }
    @Module({ providers: [Work] })
    class WorkModule {}
    const imports = [
      ConfigModule.for(database.config),
      DatabaseModule.as('account_operator'),
      JobQueueModule,
      WorkModule,
    ];
    const worker = await Test.createTestingModule({ imports }).compile();
    workers.push(worker);
    await worker.init();
    return worker;
  }
  const rows = async (name: string) =>
    (
      await database.superuser.query<{ state: string; key: string; wait: number }>(
        `select state, singleton_key as key, extract(epoch from start_after - created_on)::int as wait
         from pgboss.job where name = $1 order by created_on`,
        [name],
      )
    ).rows;
  const dieIn = (name: string) =>
    // Simulates a worker that was killed: no heartbeat for a minute.
    database.superuser.query(
      `update pgboss.job set heartbeat_on = now() - interval '1 minute' where name = $1 and state = 'active'`,
      [name],
    );

  it('runs a job with one worker at a time, again and again', async () => {
    let [runs, underWay, most] = [0, 0, 0];
    const job: Job = {
      name: 'test.recurring',
      everyMs: 100,
      leaseMs: 60_000,
      run: async () => {
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setTimeout(resolve, 50));
        underWay--;
        runs++;
      },
    };
    await Promise.all([startWorker([job]), startWorker([job]), startWorker([job])]);
    await until(() => runs >= 4);
    expect(most).toBe(1);
  });

  it('runs a job again that failed, after its own interval', async () => {
    let runs = 0;
    const job: Job = {
      name: 'test.failing',
      everyMs: 3_600_000,
      leaseMs: 60_000,
      run: () => Promise.reject(new Error(`no luck ${++runs}`)),
    };
    await startWorker([job]);
    await until(async () => (await rows(job.name)).some(({ state }) => state === 'completed'));
    expect(runs).toBe(1);
    expect((await rows(job.name)).filter(({ state }) => state === 'created')).toEqual([
      { state: 'created', key: '', wait: 3600 },
    ]);
  });

  it('cuts a job short when its worker stops, for another to take up at once', async () => {
    const began = Promise.withResolvers<void>();
    const job: Job = {
      name: 'test.cut',
      everyMs: 3_600_000,
      leaseMs: 60_000,
      run: async (signal) => {
        began.resolve();
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      },
    };
    const worker = await startWorker([job]);
    const failures = worker.get(Metrics, { strict: false }).registry.getSingleMetric('worker_job_failures_total');
    await began.promise;
    await worker.close();
    workers = [];
    expect(await rows(job.name)).toMatchObject([{ state: 'completed' }, { state: 'created', wait: 0 }]);
    expect((await failures?.get())?.values).toMatchObject([{ labels: { job_name: job.name }, value: 0 }]);
  });

  it('runs a job within seconds that was active when pg-boss last counted the items of its former worker', async () => {
    let runs = 0;
    const run = () => Promise.resolve(void runs++);
    const job: Job = { name: 'test.counted', everyMs: 100, leaseMs: 60_000, run };
    const former = await startWorker([job]);
    await until(() => runs > 0);
    await database.superuser.query(
      `update pgboss.queue set singletons_active = '{""}', monitor_claim_on = now() where name = $1`,
      [job.name],
    );
    await startWorker([job]);
    await former.close();
    const [before, closed] = [runs, performance.now()];
    await until(() => runs > before);
    expect(performance.now() - closed).toBeLessThan(15_000);
  });

  it('ends a job that takes longer than it may', async () => {
    const ended = Promise.withResolvers<void>();
    await startWorker([
      {
        name: 'test.endless',
        everyMs: 3_600_000,
        leaseMs: 200,
        run: (signal) =>
          new Promise((resolve) =>
            signal.addEventListener('abort', () => {
              ended.resolve();
              resolve();
            }),
          ),
      },
    ]);
    await ended.promise;
  });

  it('gives a dead worker’s items to another within a minute, and aborts them in the first if it resumes', async () => {
    const lost = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    let attempts = 0;
    const queue: WorkQueue = {
      name: 'test.orphaned',
      concurrency: 1,
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      handle: async (_, signal) => {
        if (++attempts > 1) return taken.resolve();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        lost.resolve();
      },
    };
    const worker = await startWorker([], [queue]);
    await worker.get(JobQueueService).enqueue(queue.name, [{ key: 'a' }]);
    await until(() => attempts === 1);
    await until(async () => {
      if (attempts === 1) await dieIn(queue.name);
      return attempts === 2;
    });
    await lost.promise;
    await taken.promise;
    await until(async () => (await rows(queue.name)).every(({ state }) => state === 'completed'));
    expect(attempts).toBe(2);
  }, 240_000);

  it('queues an item once, however often it is added, and uses every free slot', async () => {
    const gates = new Map<string, PromiseWithResolvers<void>>();
    const gate = (key: string) => gates.get(key) ?? gates.set(key, Promise.withResolvers()).get(key)!;
    const begun: string[] = [];
    const queue: WorkQueue = {
      name: 'test.places',
      concurrency: 2,
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      handle: async (key) => {
        begun.push(key);
        if (key === 'slow') await gate(key).promise;
      },
    };
    const worker = await startWorker([], [queue]);
    const jobs = worker.get(JobQueueService);
    await jobs.enqueue(queue.name, [{ key: 'slow' }, { key: 'a' }, { key: 'b' }, { key: 'c' }]);
    await jobs.enqueue(queue.name, [{ key: 'slow' }, { key: 'c' }]);
    // The slow one keeps one slot, the others use the rest.
    await until(() => begun.length === 4);
    await jobs.enqueue(queue.name, [{ key: 'slow' }]);
    gate('slow').resolve();
    await until(async () => (await rows(queue.name)).every(({ state }) => state === 'completed'));
    expect(begun.toSorted()).toEqual(['a', 'b', 'c', 'slow']);
  });

  it('has no more items under way than it has slots, however many wait', async () => {
    let [ended, underWay, most] = [0, 0, 0];
    const queue: WorkQueue = {
      name: 'test.slots',
      concurrency: 2,
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      handle: async () => {
        most = Math.max(most, ++underWay);
        // Longer than until the next poll, which would find another.
        await delay(700);
        underWay--;
        ended++;
      },
    };
    const jobs = (await startWorker([], [queue])).get(JobQueueService);
    await jobs.enqueue(
      queue.name,
      ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key })),
    );
    await until(() => ended === 5);
    expect(most).toBe(2);
  });

  it('begins the next item as soon as a slot is free, however seldom it looks', async () => {
    const jobs = Promise.withResolvers<JobQueueService>();
    const begun: string[] = [];
    const queue: WorkQueue = {
      name: 'test.next',
      concurrency: 1,
      lookEveryMs: 60_000,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      first: { key: 'first' },
      handle: async (key) => {
        begun.push(key);
        if (key === 'first') await (await jobs.promise).enqueue(queue.name, [{ key: 'a' }, { key: 'b' }]);
      },
    };
    jobs.resolve((await startWorker([], [queue])).get(JobQueueService));
    await until(() => begun.length === 3);
    expect(begun).toEqual(['first', 'a', 'b']);
  });

  it('does not let many items of a group hold up the others', async () => {
    const begun: string[] = [];
    const queue: WorkQueue = {
      name: 'test.group',
      concurrency: 4,
      group: { name: 'failing', concurrency: 2 },
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      handle: async (key) => {
        begun.push(key);
        // There are free slots at each poll, of the group as well.
        await delay(100);
      },
    };
    const jobs = (await startWorker([], [queue])).get(JobQueueService);
    const failing = Array.from({ length: 40 }, (_, n) => ({ key: `failing ${n}`, group: 'failing' }));
    await jobs.enqueue(queue.name, failing);
    await until(() => begun.length > 0);
    await jobs.enqueue(queue.name, [{ key: 'other' }]);
    await until(() => begun.includes('other'));
    expect(begun.length).toBeLessThan(failing.length / 2);
  });

  it('counts as overdue where it was not looked at for half a minute longer than an item may take, until it is', async () => {
    let ahead = 0;
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    const end = Promise.withResolvers<void>();
    let begun = 0;
    const queue: WorkQueue = {
      name: 'test.overdue',
      concurrency: 1,
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      first: { key: '' },
      handle: async () => {
        begun++;
        await end.promise;
      },
    };
    const jobs = (await startWorker([], [queue])).get(JobQueueService);
    await until(() => begun === 1);
    // The item takes the only slot: nothing is looked for.
    ahead = 60_000 + 30_000 - 10_000;
    expect(jobs.overdue()).toEqual([]);
    ahead = 60_000 + 30_000 + 501;
    expect(jobs.overdue()).toEqual([queue.name]);
    end.resolve();
    await until(() => jobs.overdue().length === 0);
    clock.mockRestore();
  });

  it('tells which items it has put in: not those that are under way already', async () => {
    const end = Promise.withResolvers<void>();
    let begun = 0;
    const queue: WorkQueue = {
      name: 'test.put-in',
      concurrency: 1,
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      handle: async () => {
        begun++;
        await end.promise;
      },
    };
    const jobs = (await startWorker([], [queue])).get(JobQueueService);
    expect(await jobs.enqueue(queue.name, [{ key: 'a' }])).toEqual(['a']);
    await until(() => begun === 1);
    expect(await jobs.enqueue(queue.name, [{ key: 'a' }, { key: 'b' }])).toEqual(['b']);
    end.resolve();
    await until(() => begun === 2);
  });

  it('has items that may take longer than a day, which WEBHOOK_TIMEOUT_MS may ask for', async () => {
    let begun = 0;
    await startWorker(
      [],
      [
        {
          name: 'test.longer-than-a-day',
          concurrency: 1,
          lookEveryMs: 500,
          deadlineMs: 30_000 + 2 * 1_000_000_000,
          unique: 'waiting-or-running',
          first: { key: '' },
          handle: () => Promise.resolve(void begun++),
        },
      ],
    );
    await until(() => begun === 1);
  });

  it('gives items the time that this version says, though a former one has made the queue', async () => {
    const queue: WorkQueue = {
      name: 'test.longer-now',
      concurrency: 1,
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      handle: () => Promise.resolve(),
    };
    const former = await startWorker([], [queue]);
    await former.close();
    await startWorker([], [{ ...queue, deadlineMs: 600_000, first: { key: '' } }]);
    const { rows: items } = await database.superuser.query(
      'select expire_seconds > 600 as "endsAfterDeadline" from pgboss.job where name = $1',
      [queue.name],
    );
    expect(items).toEqual([{ endsAfterDeadline: true }]);
  });

  it('runs what a clock that was ahead, and has been set back, had dated for later', async () => {
    let [runs, taken] = [0, 0];
    const job: Job = {
      name: 'test.set-back',
      everyMs: 3_600_000,
      leaseMs: 60_000,
      run: () => Promise.resolve(void runs++),
    };
    // Its worker died while the clock was ahead.
    const left: WorkQueue = {
      name: 'test.set-back-left',
      concurrency: 1,
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      handle: () => Promise.resolve(void taken++),
    };
    const sql = async (text: string) => (await database.superuser.query<{ wait: number }>(text)).rows;
    const former = await startWorker([job], [left]);
    await until(() => runs === 1);
    const next = async () => (await rows(job.name)).filter(({ state }) => state === 'created').map(({ wait }) => wait);
    await until(async () => (await next()).length === 1);
    await former.close();
    workers = [];
    await sql(
      `update pgboss.job set start_after = now() + interval '1 day' where name = '${job.name}' and state = 'created'`,
    );
    await sql(
      `insert into pgboss.job (name, singleton_key, policy, data, state, started_on, heartbeat_on, expire_seconds, heartbeat_seconds, retry_limit)
       values ('${left.name}', 'a', 'exclusive', '{"key":"a"}', 'active', now() + interval '1 day', now() + interval '1 day', 90, 12, 100)`,
    );
    await sql(
      `update pgboss.queue set monitor_claim_on = now() + interval '1 day', maintain_on = now() + interval '1 day' where name like 'test.set-back%'`,
    );
    await startWorker([job], [left]);
    await until(() => runs === 2);
    // The next run is as late as it should be, and remains so.
    await until(async () => (await next()).length === 1);
    expect(await next()).toEqual([3600]);
    const ahead = `select from pgboss.job where name = '${left.name}' and heartbeat_on > now()`;
    await until(async () => (await sql(ahead)).length === 0);
    await dieIn(left.name);
    await until(() => taken === 1);
  });

  it('tells its handlers at once that it stops, though times are being looked at', async () => {
    const [began, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const queue: WorkQueue = {
      name: 'test.told',
      concurrency: 1,
      lookEveryMs: 500,
      deadlineMs: 60_000,
      unique: 'waiting-or-running',
      handle: async (_, signal) => {
        began.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        told.resolve();
      },
    };
    const former = await startWorker([], [queue]);
    await former.close();
    workers = [];
    const sql = (text: string) => database.superuser.query(text);
    await sql(`select app.enqueue('${queue.name}', 'ahead', null)`);
    await sql(`update pgboss.job set start_after = now() + interval '1 day' where name = '${queue.name}'`);
    // The first statement that looks at times waits for this item.
    await sql('begin');
    await sql(`select from pgboss.job where name = '${queue.name}' for update`);
    const held = async () => {
      const waiting = await sql(
        'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
      );
      return waiting.rows.length > 0;
    };
    const worker = await startWorker([], [{ ...queue, first: { key: 'a' } }]);
    await began.promise;
    await until(held);
    const closed = worker.close();
    await told.promise;
    expect(await held()).toBe(true);
    await sql('rollback');
    await closed;
  });

  it('runs again a job whose only item is gone, as pg-boss deletes it when the clock goes ahead by weeks', async () => {
    let runs = 0;
    const run = () => Promise.resolve(void runs++);
    const worker = await startWorker([{ name: 'test.gone', everyMs: 3_600_000, leaseMs: 60_000, run }]);
    await until(async () => (await rows('test.gone')).some(({ state }) => state === 'completed'));
    // What it does every minute.
    const look = () => worker.get<unknown, { mendTimes(): Promise<void> }>(JobQueueService).mendTimes();
    await look();
    expect((await rows('test.gone')).filter(({ state }) => state === 'created')).toHaveLength(1);
    await database.superuser.query(`delete from pgboss.job where name = 'test.gone'`);
    await look();
    await until(() => runs === 2);
    await until(async () => (await rows('test.gone')).filter(({ state }) => state === 'created').length === 1);
  });

  it('leaks no listeners or timers while polling', async () => {
    const queue: WorkQueue = {
      name: 'test.idle',
      concurrency: 1,
      lookEveryMs: 10,
      deadlineMs: 60_000,
      unique: 'waiting',
      handle: () => Promise.resolve(),
    };
    const adds = jest.spyOn(AbortSignal.prototype, 'addEventListener');
    const signals = new Set<AbortSignal>();
    adds.mockImplementation(function (this: AbortSignal, ...parameters) {
      signals.add(this);
      EventTarget.prototype.addEventListener.apply(this, parameters);
    });
    const jobs = (await startWorker([], [queue])).get(JobQueueService);
    const boss = Reflect.get(jobs, 'boss') as { fetch(): Promise<unknown> };
    const looks = jest.spyOn(boss, 'fetch');
    await until(() => looks.mock.calls.length >= 20);
    const left = [...signals].map((signal) => getEventListeners(signal, 'abort').length);
    adds.mockRestore();
    expect(Math.max(0, ...left)).toBeLessThan(5);
  });

  it("grants the API's role no rights on the queue", async () => {
    const { rows: tables } = await database.superuser.query<{ name: string; may: boolean }>(
      `select c.oid::regclass::text as name, has_table_privilege('customer_api', c.oid, 'select, insert, update, delete') as may
       from pg_class c where c.relnamespace = 'pgboss'::regnamespace and c.relkind in ('r', 'p')`,
    );
    expect(tables.length).toBeGreaterThan(3);
    expect(tables.filter(({ may }) => may)).toEqual([]);
    const { rows: functions } = await database.superuser.query<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc p
       where p.pronamespace = 'pgboss'::regnamespace and has_function_privilege('customer_api', p.oid, 'execute')`,
    );
    expect(functions).toEqual([]);
    const { rows: schema } = await database.superuser.query(
      `select has_schema_privilege('customer_api', 'pgboss', 'usage') as may`,
    );
    expect(schema).toEqual([{ may: false }]);
  });
});
