import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AddressInfo } from 'node:net';
import { InternalListenerService } from '@platform/internal-listener';
import { setDatabaseClock } from '@test/database-clock';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';
import { WorkerModule } from '../../apps/worker/src/worker.module';

const A_JOB = expect.stringMatching(/^[a-z-]+\.[a-z-]+$/) as string;

describe("the worker's health", () => {
  let database: TestDatabase;
  let worker: INestApplicationContext;
  let address: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    worker = await NestFactory.createApplicationContext(WorkerModule.with(database.config), { logger: false });
    const { port } = worker.get(InternalListenerService).server.server.address() as AddressInfo;
    address = `http://127.0.0.1:${port}`;
  });

  afterAll(async () => {
    await worker.close();
    // A worker that has ended is not asked for its health any more: nothing listens.
    await expect(fetch(`${address}/health`)).rejects.toThrow('fetch failed');
  });

  const health = async () => {
    const reply = await fetch(`${address}/health`);
    return { status: reply.status, body: await reply.json() };
  };

  it('is good while jobs are looked at and the database answers', async () => {
    expect(await health()).toEqual({
      status: 200,
      body: { status: 'ok', database: 'up', clock: 'right', overdue: [] },
    });
    expect(await (await fetch(`${address}/metrics`)).text()).toMatch(/^worker_jobs_overdue 0$/m);
  });

  it('is bad when a job has not been looked at for too long, and names it', async () => {
    const now = performance.now();
    const aDay = 24 * 3_600_000;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + aDay);
    const { status, body } = await health();
    clock.mockRestore();
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: 'error', database: 'up', overdue: expect.arrayContaining([A_JOB]) });
  });

  it("is bad while its clock is not the database's, and says by how much", async () => {
    const superuser = await connectAsSuperuser(database);
    await setDatabaseClock(superuser, { aheadBy: '-1 hour' });
    expect(await health()).toMatchObject({
      status: 503,
      body: { database: 'up', clock: expect.stringMatching(/ is 3600\.\d s ahead of the database's$/) as string },
    });
    await setDatabaseClock(superuser, 'right');
    await superuser.end();
    expect((await health()).status).toBe(200);
  });

  it('is bad when the database is away', async () => {
    await database.drop();
    expect(await health()).toMatchObject({ status: 503, body: { status: 'error', database: 'down' } });
  });
});
