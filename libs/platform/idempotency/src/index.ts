export { IdempotencyKey } from './entities/idempotency-key.entity';
export { IdempotencyMaintenanceService } from './worker/idempotency-maintenance.service';
export { IdempotencyModule } from './idempotency.module';
export { IdempotencyOperatorModule } from './idempotency-operator.module';
export { IdempotencySchema1763683200550 } from './migrations/1763683200550-idempotency';
export { IdempotencyStoreService, KeyTakenError } from './idempotency-store.service';
export {
  type KeyedCall,
  KeyedCallsService,
  type KeyedRequest,
  type PendingEffect,
  type ReplyPresenter,
} from './keyed-calls.service';
export {
  type KeptReply,
  openKeptReply,
  type OpenedReply,
  ReplySealerService,
  type SealedReply,
} from './reply-sealer.service';
export {
  assertSameRequest,
  beginFingerprint,
  fingerprintOf,
  hashKey,
  keyInProgress,
  type RequestKey,
} from './request-key';
