import type { Client } from 'pg';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { startTcpProxy, type TcpProxy } from '@test/tcp-proxy';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';
import { until } from '@test/until';

/** Prometheus gives up a scrape after ten seconds. */
const SCRAPE_MS = 10_000;

describe('what a scrape says of the database', () => {
  let database: TestDatabase;
  let superuser: Client;
  let link: TcpProxy;
  let api: ApiProcess;
  let worker: WorkerProcess;

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
    link = await startTcpProxy(Number(new URL(database.url).port));
    const DATABASE_URL = Object.assign(new URL(database.url), { port: String(link.port) }).href;
    // Statements may take longer than a scrape.
    const settings = { DATABASE_URL, DATABASE_STATEMENT_TIMEOUT_MS: '30000' };
    api = await startApiProcess(settings);
    worker = await startWorkerProcess(settings);
  });
  afterAll(async () => {
    await Promise.all([api.stop('SIGKILL'), worker.stop('SIGKILL')]);
    await link.close();
    await superuser.end();
    await database.drop();
  });

  const scrape = async (url: string) => (await fetch(url, { signal: AbortSignal.timeout(SCRAPE_MS) })).text();
  const scrapeAll = () => Promise.all([scrape(api.metricsUrl), scrape(`${worker.url}/metrics`)]);
  const all = async (line: RegExp) => (await scrapeAll()).every((text) => line.test(text));

  const ANSWERS = /^database_reachable 1$/m;
  const AWAY = /^database_reachable 0$/m;

  it('is whether it answers: also when it is away', async () => {
    expect(await all(ANSWERS)).toBe(true);
    link.down();
    await until(() => all(AWAY));
    link.up();
    await until(() => all(ANSWERS));
  });

  it('comes in time though it hangs', async () => {
    link.hang();
    await until(() => all(AWAY));
    expect(await all(/^process_start_time_seconds /m)).toBe(true);
    link.up();
    await until(() => all(ANSWERS));
  });

  it('is what it refuses because of its own state, on whichever connection', async () => {
    const refuse = (table: string, code: string) =>
      superuser.query(`
        create function refuse_${code}() returns trigger language plpgsql as
          $$ begin raise exception 'not now' using errcode = '${code}'; end $$;
        create trigger refuse before insert or update on ${table} for each statement execute function refuse_${code}()`);
    // Heartbeats go through pipelined connections, jobs through a pool.
    await refuse('process_liveness', '53100');
    await refuse('pgboss.job', '53200');
    await until(() => all(/^database_refusals_total\{reason="disk_full"\} [1-9]/m));
    const metrics = () => scrape(`${worker.url}/metrics`);
    await until(async () => /^database_refusals_total\{reason="out_of_memory"\} [1-9]/m.test(await metrics()));
    expect(await all(/^database_refusals_total\{reason="read_only"\} 0$/m)).toBe(true);
  });
});
