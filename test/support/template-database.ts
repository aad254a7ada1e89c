import { randomBytes } from 'node:crypto';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { migrateJobQueue } from '@platform/jobs';
import { databaseOn, databaseServer, onEveryNode, onNode } from './database-server';

/**
 * Creates a migrated database that every test file copies. On a cluster the database is distributed, and a copy of it, made
 * on every node, is a distributed database too. @returns its name
 */
export async function createTemplate(): Promise<string> {
  const name = `template_${randomBytes(6).toString('hex')}`;
  const { nodes, isCluster } = await databaseServer();
  const [coordinator = '', ...workers] = nodes.map((node) => databaseOn(node, name));
  await onEveryNode(`create database ${name}`);
  if (isCluster) {
    await beginCluster(coordinator);
    for (const worker of workers) await addNode(coordinator, worker);
  }
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: coordinator });
  await migrateSchema(config);
  await migrateJobQueue(config);
  // Nobody may be connected to what is copied, and a cluster's own processes are.
  await onEveryNode(`alter database ${name} with allow_connections false`);
  await onEveryNode(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  return name;
}

/** Makes an empty database of a coordinator that of a cluster without workers. */
export async function beginCluster(coordinator: string): Promise<void> {
  const [self] = await onNode<{ host: string; port: number }>(
    (await databaseServer()).nodes[0] as string,
    'select nodename as host, nodeport as port from pg_dist_node where groupid = 0',
  );
  const { hostname, port } = new URL(coordinator);
  await onNode(coordinator, 'create extension citus');
  await onNode(coordinator, `select citus_set_coordinator_host('${self?.host ?? hostname}', ${self?.port ?? port})`);
}

/** Makes an empty database of a worker a node of the cluster. */
export async function addNode(coordinator: string, worker: string): Promise<void> {
  const { hostname, port } = new URL(worker);
  await onNode(worker, 'create extension citus');
  await onNode(coordinator, `select citus_add_node('${hostname}', ${port})`);
}
