import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { CustomersOperatorModule } from '@domains/customers';
import { MaintenanceOperatorModule } from '@platform/maintenance';
import { SecretsModule } from '@platform/secrets';
import { IncludedCreditPort } from '@domains/services';
import { BillingCalendarModule } from '@platform/time';
import { AiAccount } from './entities/ai-account.entity';
import { AiReservation } from './entities/ai-reservation.entity';
import { AiLedgerCarried } from './entities/ai-ledger-carried.entity';
import { AiLedgerEntry } from './entities/ai-ledger-entry.entity';
import { AiModelPrice } from './entities/ai-model-price.entity';
import { AiSettings } from './entities/ai-settings.entity';
import { AiUsage } from './entities/ai-usage.entity';
import { AiUsageDay } from './entities/ai-usage-day.entity';
import { ProviderKeysService } from './provider-keys/provider-keys.service';
import { AiAccountingOperatorService } from './operator/ai-accounting-operator.service';
import { AiConfigurationOperatorService } from './operator/ai-configuration-operator.service';
import { AiCreditOperatorService } from './operator/ai-credit-operator.service';
import { AiMaintenanceService } from './worker/ai-maintenance.service';
import { CreditHealthService } from './health/credit-health.service';
import { AiProviderCheckOperatorService } from './operator/ai-provider-check-operator.service';
import { AiPricesOperatorService } from './operator/ai-prices-operator.service';
import { AiUsageModule } from './usage/ai-usage.module';
import { AiUsageOperatorService } from './operator/ai-usage-operator.service';
import { AiVerificationOperatorService } from './operator/ai-verification-operator.service';
import { LedgerRetentionService } from './worker/ledger-retention.service';
import { RefusalsOperatorModule } from '@platform/refusals';
import { ProviderKeysOperatorService } from './operator/provider-keys-operator.service';
import { RequestOutcomesOperatorService } from './operator/request-outcomes-operator.service';
import { IncludedCreditOperatorService } from './operator/included-credit-operator.service';

/** The AI services of the operator's program and the worker. */
@Module({
  imports: [
    TypeOrmModule.forFeature([
      AiSettings,
      AiAccount,
      AiReservation,
      AiLedgerCarried,
      AiLedgerEntry,
      AiUsage,
      AiUsageDay,
      AiModelPrice,
    ]),
    AiUsageModule,
    BillingCalendarModule,
    AuditModule,
    CustomersOperatorModule,
    MaintenanceOperatorModule,
    SecretsModule,
    RefusalsOperatorModule,
  ],
  providers: [
    AiAccountingOperatorService,
    AiConfigurationOperatorService,
    AiCreditOperatorService,
    AiMaintenanceService,
    AiPricesOperatorService,
    AiProviderCheckOperatorService,
    AiUsageOperatorService,
    AiVerificationOperatorService,
    CreditHealthService,
    IncludedCreditOperatorService,
    { provide: IncludedCreditPort, useExisting: IncludedCreditOperatorService },
    LedgerRetentionService,
    ProviderKeysOperatorService,
    ProviderKeysService,
    RequestOutcomesOperatorService,
  ],
  exports: [
    BillingCalendarModule,
    AiAccountingOperatorService,
    AiConfigurationOperatorService,
    AiCreditOperatorService,
    AiMaintenanceService,
    AiPricesOperatorService,
    AiUsageOperatorService,
    AiVerificationOperatorService,
    LedgerRetentionService,
    ProviderKeysOperatorService,
    CreditHealthService,
    IncludedCreditPort,
    RequestOutcomesOperatorService,
  ],
})
export class AiOperatorModule {}
