export { IdempotencyKey } from './entities/idempotency-key.entity';
export { IdempotencyMaintenanceService } from './worker/idempotency-maintenance.service';
export { IdempotencyOperatorModule } from './idempotency-operator.module';
export { IdempotencySchema1763683200550 } from './migrations/1763683200550-idempotency';
