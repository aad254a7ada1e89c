import { type DynamicModule, Module } from '@nestjs/common';
import { AppConfig } from './schema';

/** Provides the settings, which the process's entry point loads once. */
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
