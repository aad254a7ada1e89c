import { Module } from '@nestjs/common';
import { AiLedgerModule } from './ai-ledger.module';
import { AiVerification } from './operator/ai-verification';

/** What the operator's programs and the worker do with AI. */
@Module({ imports: [AiLedgerModule], providers: [AiVerification], exports: [AiVerification] })
export class AiOperatorModule {}
