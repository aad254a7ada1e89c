import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConstructorOptions, PgBoss } from 'pg-boss';
import type { AppConfig } from '@platform/config';
import { clientSettings, DeadlineClient, type DatabaseRole, type FunctionFile } from '@platform/database';

/** Connections for polling and heartbeats, apart from those of the work itself. */
const CONNECTIONS = 3;
/** Interval at which the database is checked for items of dead workers. */
const SUPERVISE_SECONDS = 5;
/** Interval at which finished items are deleted. */
const CLEAN_UP_SECONDS = 60;
/**
 * Age of pg-boss's copy of its queues, the least it allows. The copy names the keys that were active when the items were last checked,
 * and `fetch` leaves those out: a recurring job, which has one key, would pause until the copy is read again.
 */
const QUEUES_SECONDS = 1;

/**
 * pg-boss in a role, in its default schema `pgboss`. It starts nothing that the options do not name. Statements of ours know its
 * tables, to be looked at when the package changes them: those of {@link JobQueueService} read states and mend times, and
 * `sql/enqueue.sql` adds an item as the package does, within a transaction.
 */
function createBoss(config: AppConfig, role: DatabaseRole, options: ConstructorOptions): PgBoss {
  const { connectionString, application_name, ...client } = clientSettings(config, role);
  return new PgBoss({
    ...client,
    ...(connectionString !== undefined && { connectionString }),
    ...(application_name !== undefined && { application_name }),
    max: CONNECTIONS,
    // An option of the driver's pool, which the package passes on and its types leave out.
    ...{ Client: DeadlineClient },
    // Its cron has minutes only; recurring jobs schedule their own next run.
    schedule: false,
    ...options,
  });
}

/** pg-boss for a worker: it uses the schema and does not change it. */
export function createWorkerBoss(config: AppConfig): PgBoss {
  return createBoss(config, 'account_operator', {
    migrate: false,
    createSchema: false,
    supervise: true,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: CLEAN_UP_SECONDS,
    queueCacheIntervalSeconds: QUEUES_SECONDS,
    // Both are the owner's job.
    reindex: false,
    monitorVacuum: false,
  });
}

/** The function by which a transaction adds an item. No migration has it: the tables are the package's own. */
export const QUEUE_FUNCTIONS: readonly FunctionFile[] = [
  { path: join(__dirname, 'sql', 'enqueue.sql'), functions: { enqueue: { roles: ['account_operator'] } } },
];

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
