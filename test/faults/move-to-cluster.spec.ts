import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { migrateJobQueue } from '@platform/jobs';
import { type AiStress, openAiStress } from '@test/ai-stress';
import { CustomersAtWork } from '@test/customers-at-work';
import { databaseOn, databaseServer, onEveryNode, onNode } from '@test/database-server';
import { describeOnCluster } from '@test/kinds-of-server';
import { addNode, beginCluster } from '@test/template-database';
import { databaseAt } from '@test/test-database';

const run = promisify(execFile);

describeOnCluster('A service that moves to a cluster by dump and distribution', () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const former = `test_${randomBytes(6).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'move-'));
  const settings = { SECRETS_KEY: randomBytes(32).toString('base64') };
  let nodes: string[];
  let one: AiStress;
  let cluster: AiStress;

  beforeAll(async () => {
    ({ nodes } = await databaseServer());
    // Without the extension it is a database of one server.
    await onNode(nodes[0] as string, `create database ${former}`);
    const url = databaseOn(nodes[0] as string, former);
    const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: url });
    await migrateSchema(config);
    await migrateJobQueue(config);
    one = await openAiStress(settings, {
      openDatabase: (all) =>
        Promise.resolve(
          databaseAt([url], all, () => onNode(nodes[0] as string, `drop database ${former} with (force)`)),
        ),
    });
  }, 240_000);
  afterAll(async () => {
    await one.close();
    await cluster.close();
    rmSync(folder, { recursive: true });
  });

  it('loses nothing that was answered, and its customers’ requests go on after the pause', async () => {
    const api = await one.start();
    const work = new CustomersAtWork(one, api);
    await work.add(8);
    work.start();
    await work.servedSince();
    const stoppedAt = performance.now();
    await api.stop();
    await moved();
    const urls = nodes.map((node) => databaseOn(node, name));
    cluster = await openAiStress(settings, {
      openDatabase: (all) =>
        Promise.resolve(databaseAt(urls, all, () => onEveryNode(`drop database ${name} with (force)`))),
    });
    const distributed = await onNode<{ count: number }>(
      urls[0] as string,
      `select count(*)::int as count from pg_dist_partition where partmethod = 'h'`,
    );
    expect(distributed[0]?.count).toBeGreaterThan(10);
    // The requests in progress are repeated with their keys.
    work.goTo(await cluster.start());
    const pausedMs = Math.round(performance.now() - stoppedAt);
    await work.servedSince();
    await work.end();
    console.log(`The pause took ${pausedMs} ms; replies ${JSON.stringify(work.replies)}`);
    for (const { kept, told } of await work.books(cluster)) expect(kept).toEqual(told);
  }, 600_000);

  /** The steps of the handbook. */
  async function moved(): Promise<void> {
    const file = join(folder, 'dump');
    const coordinator = databaseOn(nodes[0] as string, name);
    await onEveryNode(`create database ${name}`);
    await beginCluster(coordinator);
    for (const node of nodes.slice(1)) await addNode(coordinator, databaseOn(node, name));
    await run('pg_dump', ['--format=custom', `--file=${file}`, one.database.url]);
    await run('pg_restore', [`--dbname=${coordinator}`, '--exit-on-error', file]);
    await migrateSchema(loadConfig({ NODE_ENV: 'test', DATABASE_URL: coordinator }));
  }
});
