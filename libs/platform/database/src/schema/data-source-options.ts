import type { DataSourceOptions } from 'typeorm';
import type { AppConfig } from '@platform/config';
import { clientSettings, type DatabaseRole } from '../connections/connection-settings';
import { DeadlineClient } from '../connections/deadline-client';
import { TEXT_TIMES } from '../connections/text-times';
import { SnakeNamingStrategy } from './snake-naming-strategy';

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
      // Connections are kept, however long nobody needs them.
      idleTimeoutMillis: 0,
      Client: DeadlineClient,
      // Whoever has a connection may send several statements before the first is answered.
      pipeline: true,
      // Rows that become replies have their times as the pipelined reads have them.
      ...(role === 'customer_api' ? { types: TEXT_TIMES } : {}),
    },
    synchronize: false,
    migrationsRun: false,
    namingStrategy: new SnakeNamingStrategy(),
    // Extensions would be TypeORM's to install; the schema needs none.
    installExtensions: false,
  };
}
