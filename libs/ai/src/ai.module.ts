import { Module } from '@nestjs/common';
import { AiLedgerModule } from './ai-ledger.module';
import { HoldBook } from './ledger/hold-book';
import { LedgerConnections } from './ledger/ledger-connections';

@Module({ imports: [AiLedgerModule], providers: [HoldBook, LedgerConnections], exports: [HoldBook] })
export class AiModule {}
