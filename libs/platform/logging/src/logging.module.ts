import { Module } from '@nestjs/common';
import type { DestinationStream } from 'pino';
import { AppConfig } from '@platform/config';
import { createLogger, ROOT_LOGGER } from './root-logger';

/** Provides the process's logger. */
@Module({})
export class LoggingModule {
  /** @param destination where lines are written; default standard output */
  static forRoot(destination?: DestinationStream) {
    return {
      module: LoggingModule,
      global: true,
      providers: [
        {
          provide: ROOT_LOGGER,
          inject: [AppConfig],
          useFactory: (config: AppConfig) => createLogger(config, destination),
        },
      ],
      exports: [ROOT_LOGGER],
    };
  }
}
