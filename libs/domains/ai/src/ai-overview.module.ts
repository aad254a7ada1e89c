import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BillingCalendarModule } from '@platform/time';
import { AiOverviewService } from './customer/ai-overview.service';
import { AiAccount } from './entities/ai-account.entity';
import { AiSettings } from './entities/ai-settings.entity';

/** The customer's AI overview. */
@Module({})
export class AiOverviewModule {
  /** @param creditRequests the module that exports the {@link PendingCreditRequestsPort} */
  static with(creditRequests: Type): DynamicModule {
    return {
      module: AiOverviewModule,
      imports: [TypeOrmModule.forFeature([AiSettings, AiAccount]), BillingCalendarModule, creditRequests],
      providers: [AiOverviewService],
      exports: [AiOverviewService],
    };
  }
}
