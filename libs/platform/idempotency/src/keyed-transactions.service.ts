import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import { CustomerDatabaseService, DeferredWrites, isTransientFailure, type WriteTransaction } from '@platform/database';
import { IdempotencyStoreService, KeyTakenError, type PendingClaim } from './idempotency-store.service';
import type { KeptReply } from './replies/kept-reply';
import { ReplySealerService, type SealedReply } from './replies/reply-sealer.service';
import type { RequestKey } from './request-key';

/** How long replies are retried at shutdown. */
const SHUTDOWN_RETRY_MS = 5_000;

/** What stores how an effect ended; idempotent. */
export interface Settlement {
  work: () => Promise<unknown>;
  /** The transaction in which it ran, unless that failed. */
  transaction?: WriteTransaction;
}

/** How a call ended: with a reply that is kept, without an effect, or so that nobody knows whether it had one. */
export type Ending = KeptReply | 'no-effect' | 'interrupted';

/** How a call with a pending effect ended. */
interface Conclusion {
  effectId: string;
  settlement: Settlement;
  ending: Ending;
}

/** The transactions in which keys are stored together with what their requests do. */
@Injectable()
export class KeyedTransactionsService implements OnApplicationShutdown {
  private readonly logger = new Logger(KeyedTransactionsService.name);
  private readonly later: DeferredWrites<{ request: RequestKey; conclusion: Conclusion }>;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly store: IdempotencyStoreService,
    private readonly sealer: ReplySealerService,
    private readonly context: CustomerContextService,
  ) {
    this.later = new DeferredWrites({
      store: ({ request, conclusion }) =>
        this.context.run(request.customerId, () => this.settleAndEnd(request, conclusion)),
      lost: ({ request, conclusion }, reason) => this.lost(request, conclusion, reason),
      capacity: 1_000,
      retryMs: 500,
    });
  }

  seal(request: RequestKey, reply: KeptReply): Promise<SealedReply | undefined> {
    return this.sealer.seal(request, reply);
  }

  /** @throws KeyTakenError, or ServiceError as IdempotencyStoreService.find */
  async assertFree(request: RequestKey): Promise<void> {
    if (await this.store.find(request)) throw new KeyTakenError('The request with the Idempotency-Key is done');
  }

  /** Claims the key, does the work and keeps its reply. @throws KeyTakenError */
  runTogether(request: RequestKey, work: () => Promise<KeptReply>): Promise<KeptReply> {
    return this.transact(async (transaction) => {
      await this.store.claim(transaction, request);
      const reply = await this.database.within(transaction, work);
      await this.store.complete(transaction, request, reply);
      return reply;
    });
  }

  /** Does the work, then claims the key with what the work tells. @throws KeyTakenError */
  start<T>(request: RequestKey, work: () => Promise<{ result: T; pending: PendingClaim }>): Promise<T> {
    return this.transact(async (transaction) => {
      const { result, pending } = await this.database.within(transaction, work);
      await this.store.claim(transaction, request, pending);
      return result;
    });
  }

  /** Does the work in a transaction that remains open, for {@link conclude}. */
  async settle<T>(work: () => Promise<T>): Promise<{ result: T; transaction: WriteTransaction }> {
    const transaction = await this.database.begin({ ends: true });
    try {
      return { result: await this.database.within(transaction, work), transaction };
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  /**
   * Ends the key in the transaction of the settlement. While the database is unavailable, both are stored later: the
   * effect has happened, so the caller gets its reply.
   */
  async conclude(request: RequestKey, conclusion: Conclusion): Promise<void> {
    const { transaction } = conclusion.settlement;
    try {
      if (transaction) await this.end(transaction, request, conclusion);
      else await this.settleAndEnd(request, conclusion);
    } catch (error) {
      if (!isTransientFailure(error)) return this.lost(request, conclusion, error);
      this.logger.warn({
        msg: 'the end of an Idempotency-Key is stored later',
        err: error,
        effect_id: conclusion.effectId,
      });
      this.later.add({ request, conclusion });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.later.close(SHUTDOWN_RETRY_MS);
  }

  private async settleAndEnd(request: RequestKey, conclusion: Conclusion): Promise<void> {
    const { transaction } = await this.settle(conclusion.settlement.work);
    await this.end(transaction, request, conclusion);
  }

  private async end(transaction: WriteTransaction, request: RequestKey, conclusion: Conclusion): Promise<void> {
    const { effectId, ending } = conclusion;
    try {
      if (ending === 'no-effect') await this.store.free(transaction, request, effectId);
      else if (ending !== 'interrupted') await this.store.complete(transaction, request, ending, effectId);
      await transaction.commit();
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  private async transact<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    const transaction = await this.database.begin();
    try {
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  private lost({ customerId }: RequestKey, { effectId }: Conclusion, reason: unknown): void {
    this.logger.error({
      msg: 'the end of an Idempotency-Key could not be stored',
      err: reason,
      customer_id: customerId,
      effect_id: effectId,
    });
  }
}
