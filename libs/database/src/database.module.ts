import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppConfig } from '@app/config';
import { clientSettings, type DatabaseRole } from './connection-settings';
import { CustomerContext } from './customer-context';
import { CustomerDatabase } from './customer-database';
import { DatabaseClock } from './database-clock';
import { DatabaseLoad } from './database-load';
import { dataSourceOptions } from './data-source-options';
import { PIPELINE_SETTINGS, type PipelineSettings } from './database.tokens';
import { KeptPool } from './kept-pool';
import { PipelinedConnections } from './pipelined-connections';
import { WriteConnections } from './writing/write-connections';

/** How the module is used. */
export interface DatabaseModuleOptions {
  /** Opens all connections at start and keeps them, as a process does that serves; else they are opened when needed. */
  keepConnections?: boolean;
}

/** PostgreSQL in one role, for the whole process. */
@Module({})
export class DatabaseModule {
  static as(role: DatabaseRole, { keepConnections = false }: DatabaseModuleOptions = {}): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [AppConfig],
          useFactory: (config: AppConfig) => ({
            ...dataSourceOptions(config, role),
            autoLoadEntities: true,
            retryAttempts: 0,
          }),
        }),
      ],
      providers: [
        {
          provide: PIPELINE_SETTINGS,
          inject: [AppConfig],
          useFactory: (config: AppConfig): PipelineSettings => ({
            client: { ...clientSettings(config, role), keepOpen: keepConnections },
            size: config.DATABASE_PIPELINES,
          }),
        },
        ...(keepConnections ? [KeptPool] : []),
        CustomerContext,
        PipelinedConnections,
        WriteConnections,
        CustomerDatabase,
        DatabaseClock,
        DatabaseLoad,
      ],
      exports: [
        PIPELINE_SETTINGS,
        CustomerContext,
        PipelinedConnections,
        WriteConnections,
        CustomerDatabase,
        DatabaseClock,
        DatabaseLoad,
      ],
    };
  }
}
