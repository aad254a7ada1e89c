import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BillingCalendarModule } from '@platform/time';
import { TokenNamesService } from '@platform/tokens';
import { AiLedgerEntry } from '../entities/ai-ledger-entry.entity';
import { AiModelPrice } from '../entities/ai-model-price.entity';
import { AiUsageDay } from '../entities/ai-usage-day.entity';
import { AiUsage } from '../entities/ai-usage.entity';
import { AiLedgerEntriesService } from './ai-ledger-entries.service';
import { AiReceiptsService } from './ai-receipts.service';
import { AiUsageSummaryService } from './ai-usage-summary.service';

/** Receipts, sums and ledger entries of the customer in context. */
@Module({
  imports: [TypeOrmModule.forFeature([AiUsage, AiUsageDay, AiLedgerEntry, AiModelPrice]), BillingCalendarModule],
  providers: [TokenNamesService, AiReceiptsService, AiUsageSummaryService, AiLedgerEntriesService],
  exports: [AiReceiptsService, AiUsageSummaryService, AiLedgerEntriesService],
})
export class AiUsageModule {}
