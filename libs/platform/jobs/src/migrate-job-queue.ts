import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { AppConfig } from '@platform/config';
import { createBoss } from './boss';

/** The operator's programs use the queue; the API's role has no rights on it. */
const RIGHTS = `
  revoke all on schema pgboss from public;
  revoke all on all tables in schema pgboss from public;
  revoke execute on all functions in schema pgboss from public;
  grant usage on schema pgboss to account_operator;
  grant select, insert, update, delete on all tables in schema pgboss to account_operator;
  grant execute on all functions in schema pgboss to account_operator;`;

/** Migrates the job queue's schema, as the owner. Runs after the migrations, which create the roles. */
export async function migrateJobQueue(config: AppConfig): Promise<void> {
  const boss = createBoss(config, 'owner', { migrate: true, supervise: false });
  let failure: Error | undefined;
  boss.on('error', (error) => (failure = error));
  try {
    await boss.start();
    await indexesBuilt(boss);
    if (failure) throw failure;
    await boss.getDb().executeSql(RIGHTS);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** A newer version builds its indexes in the background; the migration ends when they exist. */
async function indexesBuilt(boss: PgBoss): Promise<void> {
  for (;;) {
    const states = await boss.getBamStatus();
    if (!states.some(({ status }) => status === 'pending' || status === 'in_progress')) return;
    await sleep(500);
  }
}
