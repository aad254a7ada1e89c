import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import {
  CustomerDatabaseService,
  DeferredWrites,
  isTransientFailure,
  mayHaveRun,
  type WriteTransaction,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import { IdempotencyStoreService, KeyTakenError } from './idempotency-store.service';
import {
  type KeptReply,
  openKeptReply,
  type OpenedReply,
  ReplySealerService,
  type SealedReply,
} from './reply-sealer.service';
import { assertSameRequest, keyInProgress, type RequestKey } from './request-key';

/** Longest wait for the same request with the same key. */
const PATIENCE_MS = 2_000;
/**
 * Ends of keys that wait for the database at most: as many as SMS without a key, which wait for it as well. An end holds the key,
 * the outcome and the reply, but nothing of its connection: some 4 kB each at most, 40 MB together.
 */
const DEFERRED_ENDS = 10_000;
const RETRY_MS = 500;
/** How long they are retried at shutdown. */
const SHUTDOWN_RETRY_MS = 5_000;

/** Makes replies as they are sent; known to the sender alone. */
export interface ReplyPresenter {
  /** @param headers those that belong to the body and are not set yet */
  ofBody(body: Buffer, headers?: Record<string, string>): KeptReply;
  ofError(error: ServiceError): KeptReply;
}

/** An effect outside the database that is about to be made. */
export interface PendingEffect {
  /** Its record, such as the SMS. */
  id: string;
  /** The reply if the process dies and nobody knows whether it happened. */
  unknown: ServiceError;
  /** The longest it takes. */
  withinMs: number;
}

/** How a call ended: with a reply that is kept, without an effect, or so that nobody knows whether it had one. */
type Ending = KeptReply | 'no-effect' | 'interrupted';

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
  /** The calls that run in this process, by the hashes of their keys, which differ between customers. */
  private readonly running = new Map<string, { fingerprint: Buffer; together: boolean; ended: Promise<void> }>();
  private readonly services: CallServices;
  /** Ends that wait for the database. */
  private readonly later: DeferredWrites<{ effect: StartedEffect; ending: Ending }>;

  constructor(
    database: CustomerDatabaseService,
    store: IdempotencyStoreService,
    sealer: ReplySealerService,
    context: CustomerContextService,
  ) {
    this.services = { database, store, sealer };
    this.later = new DeferredWrites({
      customerId: ({ effect }) => effect.request.customerId,
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
   * refused before it has claimed the key, a reply kept under the key comes first. @throws ServiceError as
   * {@link KeyedCall.keptReply}, and errors of the request
   */
  async once(request: KeyedRequest): Promise<KeyedOutcome> {
    const first = new KeyedCall(request.key, request.presenter, this.services);
    try {
      return await this.attempt(first, request);
    } catch (error) {
      if (first.hasClaimed || mayHaveRun(error)) throw error;
      const reply = await first.keptReply();
      if (reply) return { reply, isReplayed: true };
      if (!(error instanceof KeyTakenError)) throw error;
    }
    const second = new KeyedCall(request.key, request.presenter, this.services);
    try {
      // The request that had the key has died or had no effect: the look-up has freed the key, or found it free.
      return await this.attempt(second, request);
    } catch (error) {
      if (!(error instanceof KeyTakenError)) throw error;
      const reply = await second.keptReply();
      // Freed in this moment: the next try gets it.
      if (!reply) throw keyInProgress();
      return { reply, isReplayed: true };
    }
  }

  private attempt(call: KeyedCall, request: KeyedRequest): Promise<KeyedOutcome> {
    return request.claimedByService ? this.runWithEffect(call, request) : this.runTogether(call, request);
  }

  /**
   * Claims the key, runs the request and keeps its reply, in one transaction. The same requests with the same key wait for it here,
   * without a connection. @throws KeyTakenError; ServiceError idempotency_key_in_progress if that takes too long
   */
  private async runTogether(call: KeyedCall, { key, presenter, work }: KeyedRequest): Promise<KeyedOutcome> {
    const { database, store } = this.services;
    await this.untilFree(call);
    const together = async () => {
      await store.claim(key);
      call.claimed();
      const made = presenter.ofResult(await work());
      await store.complete(key, made);
      return made;
    };
    return { reply: await this.run(call, () => database.transaction(together), true), isReplayed: false };
  }

  private async untilFree({ request }: KeyedCall): Promise<void> {
    const hash = request.hash.toString('base64');
    if (!this.running.has(hash)) return;
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const over = new Promise((resolve) => patience.addEventListener('abort', resolve, { once: true }));
    for (let other = this.running.get(hash); other; other = this.running.get(hash)) {
      if (patience.aborted) throw keyInProgress();
      if (!other.together || !other.fingerprint.equals(request.fingerprint))
        throw new KeyTakenError('Another request with the Idempotency-Key is running');
      await Promise.race([other.ended, over]);
    }
  }

  /**
   * Runs a request whose service claims the key, and ends the key with the reply. An error without an effect leaves the key free;
   * one that does not know whether it had one is kept. A call that was started and not settled remains in progress until its time is
   * up.
   */
  private async runWithEffect(call: KeyedCall, { presenter, work }: KeyedRequest): Promise<KeyedOutcome> {
    let ending: Ending = 'interrupted';
    try {
      const result = await this.run(call, work);
      if (!call.effect?.isSettling) return { result };
      ending = presenter.ofResult(result);
      return { reply: ending, isReplayed: false };
    } catch (error) {
      if (error instanceof ServiceError)
        ending = error.options.effect === 'unknown' ? presenter.ofError(error) : 'no-effect';
      throw error;
    } finally {
      const { effect } = call;
      // While the database is unavailable the end is stored later: the effect has happened, so the caller gets its reply.
      await effect?.end(ending).catch((error: unknown) => this.defer(effect, ending, error));
    }
  }

  /**
   * Runs `work`, and everything it awaits, for the call. Only one of those with the same key runs here at a time: the others
   * would wait for it with a connection each. @param together whether its work is one transaction, which ends soon
   * @throws KeyTakenError
   */
  private async run<T>(call: KeyedCall, work: () => Promise<T>, together = false): Promise<T> {
    const hash = call.request.hash.toString('base64');
    if (this.running.has(hash)) throw new KeyTakenError('A request with the Idempotency-Key is running');
    const ended = Promise.withResolvers<void>();
    this.running.set(hash, { fingerprint: call.request.fingerprint, together, ended: ended.promise });
    try {
      return await this.calls.run(call, work);
    } finally {
      this.running.delete(hash);
      ended.resolve();
    }
  }

  /**
   * Stores an effect outside the database that is about to be made; with a key, claims it in the same transaction.
   * @throws KeyTakenError
   */
  async start<T>(work: () => Promise<T>, effectOf: (result: T) => PendingEffect): Promise<T> {
    const call = this.current;
    if (!call) return work();
    const { database, store } = this.services;
    const { request, presenter } = call;
    const started = await database.transaction(async () => {
      const result = await work();
      const { id: effectId, unknown, withinMs } = effectOf(result);
      call.effect = new StartedEffect(request, effectId, this.services);
      await store.claim(request, { effectId, reply: presenter.ofError(unknown), withinMs });
      return result;
    });
    call.claimed();
    return started;
  }

  /**
   * Stores how that effect ended; must be idempotent. With a key, the reply is stored in the same transaction, and both are
   * repeated here while the database is unavailable. @param alone called if the key cannot be ended: nothing is stored then
   */
  settle<T>(work: () => Promise<T>, alone: () => void): Promise<T> {
    const call = this.current;
    if (!call) return work();
    if (!call.effect) throw new Error('The effect that is to be settled was not started');
    return call.effect.settle(work, alone);
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

/**
 * A request with an Idempotency-Key, while it runs. Its key is claimed in one of three ways: in one transaction with all that
 * the request does; in the transaction that stores an effect outside the database before it is made
 * ({@link KeyedCallsService.start}), and ended in the one that stores its outcome ({@link KeyedCallsService.settle}); or by a
 * function of the database that does both ({@link claim}, {@link claimed}): those of the AI ledger, which also free it.
 */
class KeyedCall {
  /** Whether the key was claimed for this request: its failures from then on are its own, and no other reply is kept. */
  hasClaimed = false;
  /** The effect outside the database that was claimed for. */
  effect?: StartedEffect;

  constructor(
    readonly request: RequestKey,
    readonly presenter: ReplyPresenter,
    private readonly services: CallServices,
  ) {}

  /** The key, for a function that claims it: the ledger does so together with its reservation. */
  get claim(): Pick<RequestKey, 'hash' | 'fingerprint'> {
    const { hash, fingerprint } = this.request;
    return { hash, fingerprint };
  }

  /** Says that the key was claimed. */
  claimed(): void {
    this.hasClaimed = true;
  }

  /**
   * The reply of the request that was sent under the key before; undefined if there is none, or it had no effect.
   * @throws ServiceError idempotency_key_reused if that was another request, idempotency_key_in_progress,
   * idempotency_reply_not_kept
   */
  async keptReply(): Promise<OpenedReply | undefined> {
    const { request, services } = this;
    const found = await services.store.find(request);
    if (!found || found.state === 'free') return undefined;
    assertSameRequest(request, found.fingerprint);
    if (found.state === 'in_progress') throw keyInProgress(found.ageSeconds);
    return openKeptReply(services.sealer, request, found);
  }

  /** Looks the key up before it is claimed, for work that only a first try may do. @throws KeyTakenError; as {@link keptReply} */
  async assertFree(): Promise<void> {
    const kept = await this.keptReply();
    if (kept && 'content' in kept.body) kept.body.content.destroy();
    if (kept) throw new KeyTakenError('The request with the Idempotency-Key is done');
  }

  /**
   * The reply with this body, to be stored by the function that settles the call. @param headers those that belong to it
   * @returns null if it is too large to be kept
   */
  async seal(body: Buffer, headers: Record<string, string>): Promise<SealedReply | null> {
    return (await this.services.sealer.seal(this.request, this.presenter.ofBody(body, headers))) ?? null;
  }
}

export type { KeyedCall };

/** The services that a call works with. */
interface CallServices {
  database: CustomerDatabaseService;
  store: IdempotencyStoreService;
  sealer: ReplySealerService;
}

/** Stores the outcome of an effect; idempotent. */
interface Settlement {
  /** In the transaction that also ends the key. */
  work: () => Promise<unknown>;
  /** Without the key, which could not be ended. */
  alone: () => void;
}

/** An effect outside the database whose key was claimed. It may have to wait for the database, and holds nothing of its request. */
class StartedEffect {
  private settlement?: Settlement;
  /** The transaction in which the settlement ran, until the key is ended in it. */
  private transaction?: WriteTransaction;

  constructor(
    readonly request: RequestKey,
    readonly id: string,
    private readonly services: CallServices,
  ) {}

  get isSettling(): boolean {
    return this.settlement !== undefined;
  }

  /** Stores the outcome, in a transaction that remains open until {@link end} has added the reply to it. */
  async settle<T>(work: () => Promise<T>, alone: () => void): Promise<T> {
    this.settlement = { work, alone };
    const { result, transaction } = await this.settleIn(work);
    this.transaction = transaction;
    return result;
  }

  /** Ends the key in the transaction of the settlement, which is repeated if that one has ended. Idempotent. */
  async end(ending: Ending): Promise<void> {
    const { request, id, settlement, services } = this;
    if (!settlement) return;
    const transaction = this.transaction ?? (await this.settleIn(settlement.work)).transaction;
    this.transaction = undefined;
    try {
      await services.database.within(transaction, async () => {
        if (ending === 'no-effect') await services.store.free(request, id);
        else if (ending !== 'interrupted') await services.store.complete(request, ending, id);
      });
      await transaction.commit();
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  /** The key will not be ended: stores the outcome all the same. */
  settleAlone(): void {
    this.settlement?.alone();
  }

  private async settleIn<T>(work: () => Promise<T>): Promise<{ result: T; transaction: WriteTransaction }> {
    const { database } = this.services;
    const transaction = await database.begin({ ends: true });
    try {
      return { result: await database.within(transaction, work), transaction };
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }
}
