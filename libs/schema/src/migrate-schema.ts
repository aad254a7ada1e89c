import type { AppConfig } from '@platform/config';
import { migrateDatabase } from '@platform/database';
import { migrations } from './migrations';

/**
 * Brings the service's schema up to date, as the owner that DATABASE_URL names. @returns the names of the migrations that ran.
 * @throws UnknownSchemaError when the database is of a version from which there is no way; nothing is changed then.
 */
export function migrateSchema(config: AppConfig): Promise<string[]> {
  return migrateDatabase(config, migrations);
}
