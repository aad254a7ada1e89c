import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AbandonedEffectsService } from './abandoned-effects.service';
import { IdempotencyKey } from './entities/idempotency-key.entity';
import { IdempotencyStoreService } from './idempotency-store.service';
import { KeyedCallsService } from './keyed-calls.service';
import { KeyedTransactionsService } from './keyed-transactions.service';
import { ReplySealerService } from './replies/reply-sealer.service';

/** Requests with an Idempotency-Key, for the API. */
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKey])],
  providers: [
    AbandonedEffectsService,
    IdempotencyStoreService,
    KeyedCallsService,
    KeyedTransactionsService,
    ReplySealerService,
  ],
  exports: [AbandonedEffectsService, IdempotencyStoreService, KeyedCallsService],
})
export class IdempotencyModule {}
