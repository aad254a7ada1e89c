import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyKey } from './entities/idempotency-key.entity';
import { IdempotencyStoreService } from './idempotency-store.service';
import { KeyedCallsService } from './keyed-calls.service';
import { ReplySealerService } from './reply-sealer.service';

/** Requests with an Idempotency-Key, for the API. */
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKey])],
  providers: [IdempotencyStoreService, KeyedCallsService, ReplySealerService],
  exports: [IdempotencyStoreService, KeyedCallsService],
})
export class IdempotencyModule {}
