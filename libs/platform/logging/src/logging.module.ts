import { Module } from '@nestjs/common';
import type { DestinationStream } from 'pino';
import { AppConfig } from '@platform/config';
import { createLogger, ROOT_LOGGER } from './root-logger';

/** The process's logger, injectable everywhere. */
@Module({})
export class LoggingModule {
  /** @param destination where lines go; standard output without */
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
