import { Test, type TestingModule } from '@nestjs/testing';
import type { Client } from 'pg';
import { ConfigModule } from '@app/config';
import { DatabaseModule } from '@app/database';
import { LoggingModule } from '@app/logging';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';
import { type Job, JobRunner } from './job-runner';
import { JobsModule } from './jobs.module';

describe('scheduled jobs', () => {
  let database: TestDatabase;
  let superuser: Client;
  let workers: TestingModule[];
  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
    const imports = [
      ConfigModule.for(database.config),
      DatabaseModule.as('account_operator'),
      LoggingModule.forRoot(),
      JobsModule,
    ];
    workers = await Promise.all([1, 2, 3].map(() => Test.createTestingModule({ imports }).compile()));
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await superuser.end();
    await database.drop();
  });

  const runner = (worker = 0) => (workers[worker] as TestingModule).get(JobRunner);
  const job = (name: string, run: Job['run'] = () => Promise.resolve(), leaseMs = 60_000): Job => ({
    name,
    everyMs: 60_000,
    leaseMs,
    run,
  });
  const row = async (name: string) =>
    (await superuser.query('select * from scheduled_job where name = $1', [name])).rows[0] as Record<string, unknown>;
  const makeDue = (name: string) =>
    superuser.query(`update scheduled_job set due_at = now() - interval '1 second' where name = $1`, [name]);

  it('are run by one worker at a time, however many look', async () => {
    let runs = 0;
    const counting = job('counted', () => Promise.resolve(void runs++));
    const outcomes = await Promise.all([0, 1, 2, 0, 1, 2].map((worker) => runner(worker).runIfDue(counting)));
    expect([outcomes.filter(Boolean).length, runs]).toEqual([1, 1]);
    expect(await runner(1).runIfDue(counting)).toBe(false);
    await makeDue('counted');
    expect(await runner(1).runIfDue(counting)).toBe(true);
  });

  it('that fail say why, and are due again', async () => {
    expect(await runner().runIfDue(job('failing', () => Promise.reject(new Error('no luck'))))).toBe(true);
    expect(await row('failing')).toMatchObject({ last_error: 'no luck', locked_until: null });
    await makeDue('failing');
    await runner().runIfDue(job('failing'));
    expect(await row('failing')).toMatchObject({ last_error: null });
  });

  it('are taken over from a worker that died, when its time is up', async () => {
    await runner().runIfDue(job('orphaned'));
    await superuser.query(
      `update scheduled_job set due_at = now() - interval '1 second', locked_until = now() + interval '1 hour' where name = 'orphaned'`,
    );
    expect(await runner().runIfDue(job('orphaned'))).toBe(false);
    await superuser.query(
      `update scheduled_job set locked_until = now() - interval '1 second' where name = 'orphaned'`,
    );
    expect(await runner().runIfDue(job('orphaned'))).toBe(true);
  });

  it('that outlive their time do not end the run of the worker that took over', async () => {
    const late = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const first = runner(0).runIfDue(job('slow', () => late.promise, 1));
    const began = Promise.withResolvers<void>();
    const takeOver = job('slow', () => {
      began.resolve();
      return taken.promise;
    });
    const second = (async () => {
      while (!(await runner(1).runIfDue(takeOver)));
      return true;
    })();
    await began.promise;
    late.resolve();
    await first;
    expect((await row('slow')).locked_until).not.toBeNull();
    expect(await runner(2).runIfDue(job('slow'))).toBe(false);
    taken.resolve();
    expect(await second).toBe(true);
    expect((await row('slow')).locked_until).toBeNull();
  });
});
