import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { CustomersModule } from '@app/customers';
import { SecretsModule } from '@app/secrets';
import { CustomerServicesModule } from '@app/services';
import { AiCalendarModule } from './ai-calendar.module';
import { AiAccount } from './entities/ai-account.entity';
import { AiHold } from './entities/ai-hold.entity';
import { AiLedgerEntry } from './entities/ai-ledger-entry.entity';
import { AiModelPrice } from './entities/ai-model-price.entity';
import { AiSettings } from './entities/ai-settings.entity';
import { AiUsage } from './entities/ai-usage.entity';
import { KeyRing } from './key-ring';
import { AiConfiguration } from './operator/ai-configuration';
import { AiCredit } from './operator/ai-credit';
import { AiMaintenance } from './operator/ai-maintenance';
import { AiPrices } from './operator/ai-prices';
import { AiVerification } from './operator/ai-verification';
import { IncludedCredit } from './operator/included-credit';

/** What the operator's programs and the worker do with AI. */
@Module({
  imports: [
    TypeOrmModule.forFeature([AiSettings, AiAccount, AiHold, AiLedgerEntry, AiUsage, AiModelPrice]),
    AiCalendarModule,
    AuditModule,
    CustomersModule,
    CustomerServicesModule,
    SecretsModule,
  ],
  providers: [AiConfiguration, AiCredit, AiMaintenance, AiPrices, AiVerification, IncludedCredit, KeyRing],
  exports: [AiCalendarModule, AiConfiguration, AiCredit, AiMaintenance, AiPrices, AiVerification],
})
export class AiOperatorModule {}
