import type { Client } from 'pg';

/**
 * Has the database's last outage be over, as after hours of service: a test's own database has only begun to serve, and what is
 * abandoned is not given up yet. Also without a process that gives signs of life.
 */
export function databaseHasServed(superuser: Client): Promise<void> {
  return setClock(
    superuser,
    `+ interval '1 minute'`,
    `served = served + interval '1 hour', served_before_outage = served`,
  );
}

/** Has the database have been away for an hour until now; no process has noticed yet that it is back. */
export function databaseWasAway(superuser: Client): Promise<void> {
  return setClock(superuser, `- interval '1 hour'`, 'served = served');
}

/** On each node: a cluster's count for themselves. */
async function setClock(superuser: Client, tickedAt: string, more: string): Promise<void> {
  // In a time zone: a cluster refuses expressions that depend on the session's.
  const moment = `(clock_timestamp() at time zone 'UTC' ${tickedAt}) at time zone 'UTC'`;
  const statement = `update liveness_clock set ticked_at = ${moment}, ${more}`;
  await superuser.query(statement);
  await superuser.query('select app.run_on_nodes($1)', [statement]);
}
