import { Module } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { createLogger, ROOT_LOGGER } from './root-logger';

/** The process's logger, injectable everywhere. */
@Module({})
export class LoggingModule {
  static forRoot() {
    return {
      module: LoggingModule,
      global: true,
      providers: [
        { provide: ROOT_LOGGER, inject: [AppConfig], useFactory: (config: AppConfig) => createLogger(config) },
      ],
      exports: [ROOT_LOGGER],
    };
  }
}
