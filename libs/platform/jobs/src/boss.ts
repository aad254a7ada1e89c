import { type ConstructorOptions, PgBoss } from 'pg-boss';
import type { AppConfig } from '@platform/config';
import { clientSettings, DeadlineClient, type DatabaseRole } from '@platform/database';

/** Connections for polling and heartbeats, apart from those of the work itself. */
const CONNECTIONS = 3;
/** Interval at which the database is checked for items of dead workers. */
const SUPERVISE_SECONDS = 5;
/** Interval at which finished items are deleted. */
const CLEAN_UP_SECONDS = 60;

/** pg-boss in a role, in its default schema `pgboss`. It starts only what the options say. */
export function createBoss(config: AppConfig, role: DatabaseRole, options: ConstructorOptions): PgBoss {
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
    // Both are the owner's job.
    reindex: false,
    monitorVacuum: false,
  });
}
