import { Client } from 'pg';
import { onNode } from './database-server';
import { until } from './until';

/** The node's own shell, in its data folder: it outlives the server, and starts it as it was started before. */
const killAndStart = (awaySeconds: number) => `
  kill -9 $(head -n 1 postmaster.pid)
  sleep ${awaySeconds}
  for attempt in $(seq 100); do
    sleep 0.2
    sh postmaster.opts
    # 1: processes of the killed server still end.
    test $? = 1 || break
  done`;

/**
 * Kills the PostgreSQL of a node, which starts again by itself. Resolves when it has.
 * @param url as its superuser
 * @param awaySeconds how long it stays away at least
 */
export async function killNode(url: string, awaySeconds = 0): Promise<void> {
  const before = await startedAt(url);
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const program = `setsid sh -c '${killAndStart(awaySeconds)}' >/dev/null 2>&1 &`;
  void client.query(`copy (select 1) to program '${program.replaceAll("'", "''")}'`).catch(() => undefined);
  await until(async () => ![before, undefined].includes(await startedAt(url)), 50);
  // The shell has inherited the server's end of the connection, which therefore is never closed from there.
  client.connection.stream.destroy();
}

/** When the node's PostgreSQL was started; undefined while it does not answer. */
export async function startedAt(url: string): Promise<string | undefined> {
  return onNode<{ at: string }>(url, 'select pg_postmaster_start_time()::text as at').then(
    ([row]) => row?.at,
    () => undefined,
  );
}
