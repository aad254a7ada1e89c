import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyKey } from './entities/idempotency-key.entity';
import { IdempotencyMaintenanceService } from './worker/idempotency-maintenance.service';

/** What the worker does about Idempotency-Keys. */
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKey])],
  providers: [IdempotencyMaintenanceService],
  exports: [IdempotencyMaintenanceService],
})
export class IdempotencyOperatorModule {}
