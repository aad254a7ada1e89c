export { CustomerContext } from './customer-context';
export { CustomerDatabase } from './customer-database';
export { DatabaseModule } from './database.module';
export { PIPELINE_SETTINGS, type PipelineSettings } from './database.tokens';
export {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  isLockTimeout,
  isLoginRefused,
  isTransientFailure,
  isDataRefused,
  isUniqueViolation,
  NotMigratedError,
  OverloadedError,
  UnfitDatabaseError,
} from './database-errors';
export { DatabaseClock, databaseNow } from './database-clock';
export { DatabaseLoad } from './database-load';
export { assertDatabaseFit } from './database-fitness';
export { type DatabaseRole, clientSettings } from './connection-settings';
export { StoreLater } from './writing/store-later';
export { WriteConnections } from './writing/write-connections';
export { PipelinedConnections } from './pipelined-connections';
export { type PreparedStatement, prepared } from './prepared-statement';
export { migrateDatabase } from './migrate';
export { pendingSchemaChanges } from './schema-drift';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres';
export { NewestFirst } from './reading/newest-first';
