import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppConfig } from '@platform/config';
import { ContextModule } from '@platform/context';
import {
  clientSettings,
  type DatabaseRole,
  PIPELINE_SETTINGS,
  type PipelineSettings,
} from './connections/connection-settings';
import { CustomerDatabaseService } from './customer-database.service';
import { DatabaseClockService } from './database-clock.service';
import { PartitionsService } from './partitions/partitions.service';
import { dataSourceOptions } from './schema/data-source-options';
import { EntityReadsService } from './reads/entity-reads.service';
import { EntityWritesService } from './writes/entity-writes.service';
import { WarmPoolService } from './connections/warm-pool.service';
import { PipelinedConnectionsService } from './connections/pipelined-connections.service';
import { StatementTimes } from './connections/statement-times';
import { WriteConnectionsService } from './connections/write-connections.service';

/** Options of the module. */
export interface DatabaseModuleOptions {
  /**
   * Opens all connections at start and keeps them open, for a server process; otherwise they are opened at their first
   * use.
   */
  keepConnections?: boolean;
}

/** Connections to PostgreSQL in one role, for the whole process. */
@Module({})
export class DatabaseModule {
  static as(role: DatabaseRole, { keepConnections = false }: DatabaseModuleOptions = {}): DynamicModule {
    // Customers' requests neither make nor drop partitions.
    const ofOperators = role === 'account_operator' ? [PartitionsService] : [];
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        ContextModule,
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
          inject: [AppConfig, StatementTimes],
          useFactory: (config: AppConfig, times: StatementTimes): PipelineSettings => ({
            client: { ...clientSettings(config, role), keepOpen: keepConnections },
            size: config.DATABASE_PIPELINES,
            times,
          }),
        },
        StatementTimes,
        ...(keepConnections ? [WarmPoolService] : []),
        ...ofOperators,
        PipelinedConnectionsService,
        WriteConnectionsService,
        CustomerDatabaseService,
        EntityReadsService,
        EntityWritesService,
        DatabaseClockService,
      ],
      exports: [
        ContextModule,
        PIPELINE_SETTINGS,
        PipelinedConnectionsService,
        WriteConnectionsService,
        CustomerDatabaseService,
        EntityReadsService,
        EntityWritesService,
        DatabaseClockService,
        ...ofOperators,
      ],
    };
  }
}
