import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BillingCalendar } from './billing-calendar';
import { Clock } from './clock';
import { AiAccount } from './entities/ai-account.entity';
import { AiHold } from './entities/ai-hold.entity';
import { AiLedgerEntry } from './entities/ai-ledger-entry.entity';
import { AiModelPrice } from './entities/ai-model-price.entity';
import { AiSettings } from './entities/ai-settings.entity';
import { AiUsage } from './entities/ai-usage.entity';

/** The AI tables, and the clock they follow: what the API, the worker and the operator's programs share. */
@Module({
  imports: [TypeOrmModule.forFeature([AiSettings, AiAccount, AiHold, AiLedgerEntry, AiUsage, AiModelPrice])],
  providers: [Clock, BillingCalendar],
  exports: [Clock, BillingCalendar],
})
export class AiLedgerModule {}
