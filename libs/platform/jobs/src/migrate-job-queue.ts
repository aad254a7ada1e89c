import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { AppConfig } from '@platform/config';
import { createBoss } from './boss';

/** The operator's programs use the queue; the API's role has no right to any of it. */
const RIGHTS = `
  revoke all on schema pgboss from public;
  revoke all on all tables in schema pgboss from public;
  revoke execute on all functions in schema pgboss from public;
  grant usage on schema pgboss to account_operator;
  grant select, insert, update, delete on all tables in schema pgboss to account_operator;
  grant execute on all functions in schema pgboss to account_operator;`;

/** Brings the job queue's schema up to date, as the owner. After the migrations, which make the roles. */
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

/** A newer version of the queue builds its indexes beside the traffic; the migration has run when they are there. */
async function indexesBuilt(boss: PgBoss): Promise<void> {
  for (;;) {
    const states = await boss.getBamStatus();
    if (!states.some(({ status }) => status === 'pending' || status === 'in_progress')) return;
    await sleep(500);
  }
}
