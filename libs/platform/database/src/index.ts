export { CustomerDatabaseService } from './customer-database.service';
export { DatabaseModule } from './database.module';
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
  TablesInUseError,
  UnfitDatabaseError,
  UnknownSchemaError,
} from './database-errors';
export { DatabaseClockService, databaseNow } from './database-clock.service';
export { exposeDatabaseMetrics } from './database-metrics';
export { assertBillingZone, assertDatabaseFit } from './database-fitness';
export {
  clientSettings,
  type ConnectionSettings,
  type DatabaseRole,
  PIPELINE_SETTINGS,
  type PipelineSettings,
} from './connections/connection-settings';
export type { CustomerStatement } from './connections/customer-transaction';
export { DeadlineClient } from './connections/deadline-client';
export { BoundedQueue } from './connections/bounded-queue';
export { DeferredWrites, retryTransient } from './connections/deferred-writes';
export { WriteConnectionsService, type WriteTransaction } from './connections/write-connections.service';
export { PipelinedConnectionsService } from './connections/pipelined-connections.service';
export type { StatementTime } from './connections/statement-times';
export { type FunctionAccess, type FunctionFile } from './schema/functions';
export { type CustomerTableAccess, partitionByMonth, secureCustomerTable } from './schema/customer-table';
export { PartitionsService } from './partitions/partitions.service';
export { customerIds, customerPages, customersByNode, eachIndependently, purgeEachCustomer } from './each-customer';
export { ForwardMigration } from './schema/forward-migration';
export { DatabaseSchema1763683200000 } from './migrations/1763683200000-database';
export { StoredBytesSchema1763683201100 } from './migrations/1763683201100-stored-bytes';
export { Trigrams1763683204400 } from './migrations/1763683204400-trigrams';
export { BillingZone1763683207300 } from './migrations/1763683207300-billing-zone';
export { Outages1763683207100 } from './migrations/1763683207100-outages';
export { StoredBytes } from './entities/stored-bytes.entity';
export { migrateDatabase, type Migrated, pendingSchemaChanges } from './schema/migrate';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres';
export { EntityReadsService, type EntityTable, type Expression, type ReadRow } from './reads/entity-reads.service';
export { OperatorList } from './reads/operator-list';
export { containing, type TextSearch } from './reads/text-search';
export { idWindow, type KeysetList, timeOfId } from './reads/keyset-pages';
export { decoders, type PreparedStatement, prepared, type ReadStatement, readStatement } from './prepared-statement';
export { EntityWritesService } from './writes/entity-writes.service';
