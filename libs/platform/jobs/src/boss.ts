import { type ConstructorOptions, PgBoss } from 'pg-boss';
import type { AppConfig } from '@platform/config';
import { clientSettings, DeadlineClient, type DatabaseRole } from '@platform/database';

/** Connections for looking for work and for signs of life, apart from those that the work itself uses. */
const CONNECTIONS = 3;
/** How often the database is asked for items whose worker died. */
const SUPERVISE_SECONDS = 5;
/** How often items done with are removed. */
const CLEAN_UP_SECONDS = 60;

/** pg-boss in a role, in its usual schema `pgboss`. It starts nothing by itself but what the options say. */
export function createBoss(config: AppConfig, role: DatabaseRole, options: ConstructorOptions): PgBoss {
  const { connectionString, application_name, ...client } = clientSettings(config, role);
  return new PgBoss({
    ...client,
    ...(connectionString !== undefined && { connectionString }),
    ...(application_name !== undefined && { application_name }),
    max: CONNECTIONS,
    // An option of the driver's pool, which the package passes on and its types leave out.
    ...{ Client: DeadlineClient },
    // Its cron knows minutes only; recurring jobs schedule themselves.
    schedule: false,
    ...options,
  });
}

/** pg-boss as a worker has it: it uses the schema, and changes nothing of it. */
export function createWorkerBoss(config: AppConfig): PgBoss {
  return createBoss(config, 'account_operator', {
    migrate: false,
    createSchema: false,
    supervise: true,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: CLEAN_UP_SECONDS,
    // Both are the owner's to do.
    reindex: false,
    monitorVacuum: false,
  });
}
