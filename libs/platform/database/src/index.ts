export { CustomerDatabaseService } from './customer-database.service';
export { DatabaseModule } from './database.module';
export { PIPELINE_SETTINGS, type PipelineSettings } from './connections/database.tokens';
export {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  isLockTimeout,
  isLoginRefused,
  isTransientFailure,
  isDataRefused,
  isUniqueViolation,
  mayHaveRun,
  NotMigratedError,
  OverloadedError,
  UnfitDatabaseError,
  UnknownSchemaError,
} from './errors/database-errors';
export { DatabaseClockService, databaseNow } from './condition/database-clock.service';
export { exposeDatabaseMetrics } from './condition/database-metrics';
export { DatabaseLoadService } from './condition/database-load.service';
export { assertDatabaseFit } from './condition/database-fitness';
export { type ConnectionSettings, type DatabaseRole, clientSettings } from './connections/connection-settings';
export { DeadlineClient } from './connections/deadline-client';
export { BoundedQueue } from './writes/bounded-queue';
export { DeferredWrites } from './writes/deferred-writes';
export { retryTransient } from './writes/retry-transient';
export { WriteConnectionsService } from './writes/write-connections.service';
export type { WriteTransaction } from './writes/write-transaction';
export { PipelinedConnectionsService } from './connections/pipelined-connections.service';
export { type PreparedStatement, prepared } from './connections/prepared-statement';
export { createFunction, type FunctionAccess } from './migrations/create-function';
export { type CustomerTableAccess, secureCustomerTable } from './migrations/customer-table';
export { PartitionsService } from './partitions/partitions.service';
export { customerPages } from './retention/customer-pages';
export { purgeEachCustomer } from './retention/purge-each-customer';
export { partitionByMonth } from './partitions/partition-by-month';
export { ForwardMigration } from './migrations/forward-migration';
export { DatabaseSchema1763683200000 } from './migrations/1763683200000-database';
export { migrateDatabase } from './schema/migrate';
export { pendingSchemaChanges } from './schema/schema-drift';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres';
export { decoders } from './definitions/decoders';
export { EntityReadsService, type Expression } from './definitions/entity-reads.service';
export { type EntityTable, type ReadRow } from './definitions/entity-table';
export { newestQuery, newestRows } from './definitions/newest-rows';
export { idWindow } from './definitions/id-window';
export { timeOfId } from './definitions/timed-id';
export { type KeysetList } from './definitions/keyset-list';
export { type ReadStatement, readStatement } from './definitions/read-statement';
