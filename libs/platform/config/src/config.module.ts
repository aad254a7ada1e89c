import { type DynamicModule, Module } from '@nestjs/common';
import { AppConfig } from './app-config';

/** Makes the settings, loaded once by the process's entry point, injectable everywhere. */
@Module({})
export class ConfigModule {
  static for(config: AppConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: AppConfig, useValue: config }],
      exports: [AppConfig],
    };
  }
}
