import { type DynamicModule, Module } from '@nestjs/common';
import { AiModule } from '@domains/ai';
import { type AppConfig, ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';

/** The ledger as an API process has it, without HTTP. */
@Module({})
export class LedgerModule {
  static with(config: AppConfig): DynamicModule {
    return {
      module: LedgerModule,
      imports: [ConfigModule.for(config), DatabaseModule.as('customer_api'), AiModule],
    };
  }
}
