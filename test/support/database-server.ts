import { Client } from 'pg';

/** A server for test databases: one PostgreSQL, or a Citus cluster with its coordinator and its workers. */
export interface DatabaseServer {
  /** Address of a database that always exists, on each node; the coordinator comes first. */
  nodes: string[];
  isCluster: boolean;
}

const known = new Map<string, Promise<DatabaseServer>>();

/** The server that tests use: the one that `npm test` started, or that `TEST_DATABASE_URL` names. */
export function databaseServer(): Promise<DatabaseServer> {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('No test server: run the tests with npm test');
  const server = known.get(url) ?? findNodes(url);
  known.set(url, server);
  return server;
}

async function findNodes(url: string): Promise<DatabaseServer> {
  const [found] = await onNode<{ cluster: boolean }>(
    url,
    `select exists (select from pg_extension where extname = 'citus') as cluster`,
  );
  if (!found?.cluster) return { nodes: [url], isCluster: false };
  const workers = await onNode<{ host: string; port: number }>(
    url,
    `select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and isactive order by groupid`,
  );
  const urls = workers.map(({ host, port }) => Object.assign(new URL(url), { hostname: host, port }).href);
  return { nodes: [url, ...urls], isCluster: true };
}

/** The address of another database of the same node. */
export function databaseOn(node: string, name: string): string {
  return Object.assign(new URL(node), { pathname: `/${name}` }).href;
}

/** Runs a statement on one node. */
export async function onNode<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  // The statement fails with it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row & Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Runs a statement on every node, one after the other. */
export async function onEveryNode(statement: string): Promise<void> {
  for (const node of (await databaseServer()).nodes) await onNode(node, statement);
}
