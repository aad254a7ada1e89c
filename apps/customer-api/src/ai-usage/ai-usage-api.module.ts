import { Module } from '@nestjs/common';
import { AiUsageModule } from '@domains/ai';
import { HttpModule } from '@platform/http';
import { AiLedgerController } from './ai-ledger.controller';
import { AiUsageController } from './ai-usage.controller';

@Module({ imports: [AiUsageModule, HttpModule], controllers: [AiUsageController, AiLedgerController] })
export class AiUsageApiModule {}
