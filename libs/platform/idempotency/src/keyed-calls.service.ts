import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import { CustomerDatabaseService, DeferredWrites, isTransientFailure, mayHaveRun } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { SecretUnreadableError } from '@platform/secrets';
import { IdempotencyStoreService, KeyTakenError } from './idempotency-store.service';
import {
  type CallServices,
  type Ending,
  KeyedCall,
  type PendingEffect,
  type ReplyPresenter,
  type StartedEffect,
} from './keyed-call';
import { type KeptReply, type OpenedReply, ReplySealerService } from './reply-sealer.service';
import type { RequestKey } from './request-key';

/** `Retry-After` while the request is in progress. */
const RETRY_SECONDS = 2;
/**
 * Ends of keys that wait for the database at most: as many as SMS without a key, which wait for it as well. An end holds the key,
 * the outcome and the reply, but nothing of its connection: some 4 kB each at most, 40 MB together.
 */
const DEFERRED_ENDS = 10_000;
const RETRY_MS = 500;
/** How long they are retried at shutdown. */
const SHUTDOWN_RETRY_MS = 5_000;

/** How a request that has a key makes its replies, and runs. */
export interface KeyedRequest {
  key: RequestKey;
  presenter: ReplyPresenter & {
    /** The reply with the result of the request. */
    ofResult(result: unknown): KeptReply;
  };
  /** Whether the service that does the work claims the key; otherwise all of it is one transaction with the key. */
  claimedByService: boolean;
  work: () => Promise<unknown>;
}

/** The outcome of a request with a key: its own reply or result, or the kept reply of the first try. */
export type KeyedOutcome =
  { reply: KeptReply; isReplayed: false } | { reply: OpenedReply; isReplayed: true } | { result: unknown };

/**
 * The rules of Idempotency-Keys: a request has its effect once, and a retry gets the reply of the first try; another request under
 * the same key is refused; a request that fails without an effect leaves the key free. See `docs/decisions/idempotency.md`.
 */
@Injectable()
export class KeyedCallsService implements OnApplicationShutdown {
  private readonly logger = new Logger(KeyedCallsService.name);
  private readonly calls = new AsyncLocalStorage<KeyedCall>();
  /** Hashes of the keys of the calls that run in this process; they differ between customers. */
  private readonly running = new Set<string>();
  private readonly services: CallServices;
  /** Ends that wait for the database. */
  private readonly later: DeferredWrites<{ effect: StartedEffect; ending: Ending }>;

  constructor(
    database: CustomerDatabaseService,
    store: IdempotencyStoreService,
    sealer: ReplySealerService,
    context: CustomerContextService,
  ) {
    const keptReply = (request: RequestKey) => this.keptReply(request);
    this.services = { database, store, sealer, keptReply, failed: (...end) => this.defer(...end) };
    this.later = new DeferredWrites({
      store: ({ effect, ending }) => context.run(effect.request.customerId, () => effect.end(ending)),
      lost: ({ effect }, reason) => this.lost(effect, reason),
      capacity: DEFERRED_ENDS,
      retryMs: RETRY_MS,
    });
  }

  /** The present call; undefined without an Idempotency-Key. */
  get current(): KeyedCall | undefined {
    return this.calls.getStore();
  }

  /**
   * Runs a request once. Nearly every request is a first try, so the key is claimed rather than looked up. If the request is
   * refused before it has claimed the key, a reply kept under the key comes first. @throws ServiceError as {@link keptReply}, and
   * errors of the request
   */
  async once(request: KeyedRequest): Promise<KeyedOutcome> {
    const first = this.begin(request);
    try {
      return await this.attempt(first, request);
    } catch (error) {
      if (first.hasClaimed || mayHaveRun(error)) throw error;
      const reply = await this.keptReply(request.key);
      if (reply) return { reply, isReplayed: true };
      if (!(error instanceof KeyTakenError)) throw error;
    }
    try {
      // The request that had the key has died or had no effect: the look-up has freed the key, or found it free.
      return await this.attempt(this.begin(request), request);
    } catch (error) {
      if (!(error instanceof KeyTakenError)) throw error;
      const reply = await this.keptReply(request.key);
      // Freed in this moment: the next try gets it.
      if (!reply) throw inProgress();
      return { reply, isReplayed: true };
    }
  }

  /**
   * The reply of the request that was sent under the key before; undefined if there is none, or it had no effect.
   * @throws ServiceError idempotency_key_reused if that was another request, idempotency_key_in_progress,
   * idempotency_reply_not_kept
   */
  async keptReply(request: RequestKey): Promise<OpenedReply | undefined> {
    const found = await this.services.store.find(request);
    if (!found || found.state === 'free') return undefined;
    if (!found.fingerprint.equals(request.fingerprint)) {
      throw new ServiceError(
        'idempotency_key_reused',
        'You have used this Idempotency-Key for another request in the last 24 hours',
      );
    }
    if (found.state === 'in_progress') throw inProgress();
    const { reply, secretsKey, effectId } = found;
    if (!reply) throw notKept('was too large to be kept', effectId);
    try {
      return await this.services.sealer.open(request, { secretsKey: secretsKey ?? '', body: reply });
    } catch (error) {
      if (error instanceof SecretUnreadableError) throw notKept('can no longer be read', effectId);
      throw error;
    }
  }

  private begin({ key, presenter }: KeyedRequest): KeyedCall {
    return new KeyedCall(key, presenter, this.services);
  }

  private async attempt(call: KeyedCall, request: KeyedRequest): Promise<KeyedOutcome> {
    const { presenter, work, claimedByService } = request;
    if (claimedByService) return this.concluded(call, request);
    const reply = await call.runTogether(async () => presenter.ofResult(await this.run(call, work)));
    return { reply, isReplayed: false };
  }

  /**
   * Runs a request whose service claims the key, and ends the key with the reply. An error without an effect leaves the key free;
   * one that does not know whether it had one is kept.
   */
  private async concluded(call: KeyedCall, { presenter, work }: KeyedRequest): Promise<KeyedOutcome> {
    let ending: Ending = 'interrupted';
    try {
      const result = await this.run(call, work);
      if (!call.isSettling) return { result };
      ending = presenter.ofResult(result);
      return { reply: ending, isReplayed: false };
    } catch (error) {
      if (error instanceof ServiceError)
        ending = error.options.effect === 'unknown' ? presenter.ofError(error) : 'no-effect';
      throw error;
    } finally {
      await call.conclude(ending);
    }
  }

  /**
   * Runs `work`, and everything it awaits, for the call. Only one of those with the same key runs here at a time: the others
   * would wait for it with a connection each. @throws KeyTakenError
   */
  private async run<T>(call: KeyedCall, work: () => Promise<T>): Promise<T> {
    const key = call.request.hash.toString('base64');
    if (this.running.has(key)) throw new KeyTakenError('A request with the Idempotency-Key is running');
    this.running.add(key);
    try {
      return await this.calls.run(call, work);
    } finally {
      this.running.delete(key);
    }
  }

  /** Stores an effect outside the database that is about to be made; with a key, claims it in the same transaction. */
  start<T>(work: () => Promise<T>, effectOf: (result: T) => PendingEffect): Promise<T> {
    return this.current?.start(work, effectOf) ?? work();
  }

  /**
   * Stores how that effect ended; must be idempotent. With a key, the reply is stored in the same transaction, and both are
   * repeated here while the database is unavailable. @param alone called if the key cannot be ended: nothing is stored then
   */
  settle<T>(work: () => Promise<T>, alone: () => void): Promise<T> {
    return this.current?.settle(work, alone) ?? work();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.later.close(SHUTDOWN_RETRY_MS);
  }

  private defer(effect: StartedEffect, ending: Ending, reason: unknown): void {
    if (!isTransientFailure(reason)) return this.lost(effect, reason);
    this.logger.warn({ msg: 'the end of an Idempotency-Key is stored later', err: reason, effect_id: effect.id });
    this.later.add({ effect, ending });
  }

  private lost(effect: StartedEffect, reason: unknown): void {
    const { id: effect_id, request } = effect;
    const about = { customer_id: request.customerId, effect_id };
    this.logger.error({ msg: 'the end of an Idempotency-Key could not be stored', err: reason, ...about });
    effect.settleAlone();
  }
}

function inProgress(): ServiceError {
  return new ServiceError(
    'idempotency_key_in_progress',
    `A request with this Idempotency-Key is in progress; try again in ${RETRY_SECONDS} s`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

function notKept(reason: string, effectId: string | null): ServiceError {
  const record = effectId === null ? '' : `. The id of its record is ${effectId}`;
  return new ServiceError('idempotency_reply_not_kept', `The request was done once, but its reply ${reason}${record}`);
}
