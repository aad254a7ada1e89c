import { type DataSourceOptions, DefaultNamingStrategy } from 'typeorm';
import type { AppConfig } from '@platform/config';
import { clientSettings, type DatabaseRole } from '../connections/connection-settings';
import { DeadlineClient } from '../connections/deadline-client';

/** `createdAt` in TypeScript is `created_at` in PostgreSQL. */
class SnakeNamingStrategy extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

/** TypeORM's settings for a role. The schema changes through migrations alone. */
export function dataSourceOptions(config: AppConfig, role: DatabaseRole): DataSourceOptions {
  const { connectionString, application_name, ...extra } = clientSettings(config, role);
  return {
    type: 'postgres',
    url: connectionString,
    applicationName: application_name,
    extra: {
      ...extra,
      max: config.DATABASE_POOL_SIZE,
      // Connections are kept, however long they are idle.
      idleTimeoutMillis: 0,
      Client: DeadlineClient,
      // Several statements may be sent on a connection before the first is answered.
      pipeline: true,
    },
    synchronize: false,
    migrationsRun: false,
    namingStrategy: new SnakeNamingStrategy(),
    // TypeORM would install extensions that it finds it needs; a migration installs the one of the schema.
    installExtensions: false,
  };
}
