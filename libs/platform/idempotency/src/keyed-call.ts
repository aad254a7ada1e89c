import type { CustomerDatabaseService, WriteTransaction } from '@platform/database';
import type { ServiceError } from '@platform/errors';
import { type IdempotencyStoreService, KeyTakenError } from './idempotency-store.service';
import type { KeptReply, OpenedReply, ReplySealerService, SealedReply } from './reply-sealer.service';
import type { RequestKey } from './request-key';

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
export type Ending = KeptReply | 'no-effect' | 'interrupted';

/** The services that a call works with. */
export interface CallServices {
  database: CustomerDatabaseService;
  store: IdempotencyStoreService;
  sealer: ReplySealerService;
  /** See `KeyedCallsService.keptReply`. */
  keptReply: (request: RequestKey) => Promise<OpenedReply | undefined>;
  /** Called with an end that could not be stored. */
  failed: (effect: StartedEffect, ending: Ending, reason: unknown) => void;
}

/** Stores the outcome of an effect; idempotent. */
interface Settlement {
  /** In the transaction that also ends the key. */
  work: () => Promise<unknown>;
  /** Without the key, which could not be ended. */
  alone: () => void;
}

/** An effect outside the database whose key was claimed. It may have to wait for the database, and holds nothing of its request. */
export class StartedEffect {
  private settlement?: Settlement;
  /** The transaction in which the settlement ran, until the key is ended in it. */
  private transaction?: WriteTransaction;

  constructor(
    readonly request: RequestKey,
    readonly id: string,
    private readonly services: Pick<CallServices, 'database' | 'store'>,
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

/**
 * A request with an Idempotency-Key, while it runs. Its key is claimed in one of three ways: in one transaction with all that
 * the request does ({@link runTogether}); in the transaction that stores an effect outside the database before it is made
 * ({@link start}), and ended in the one that stores its outcome ({@link settle}, {@link conclude}); or by a function of the
 * database that does both ({@link claim}, {@link claimed}).
 */
export class KeyedCall {
  private owned = false;
  private effect?: StartedEffect;

  constructor(
    readonly request: RequestKey,
    private readonly presenter: ReplyPresenter,
    private readonly services: CallServices,
  ) {}

  /** Whether the key was claimed for this request: its failures from then on are its own, and no other reply is kept. */
  get hasClaimed(): boolean {
    return this.owned;
  }

  /** Whether the effect is being settled: the key is ended with {@link conclude}. */
  get isSettling(): boolean {
    return this.effect?.isSettling ?? false;
  }

  /** The key, for a function that claims it: the ledger does so together with its reservation. */
  get claim(): Pick<RequestKey, 'hash' | 'fingerprint'> {
    const { hash, fingerprint } = this.request;
    return { hash, fingerprint };
  }

  /** Says that the key was claimed with {@link claim}. */
  claimed(): void {
    this.owned = true;
  }

  /**
   * Looks the key up before it is claimed, for work that only a first try may do. @throws KeyTakenError, or ServiceError as
   * KeyedCallsService.keptReply
   */
  async assertFree(): Promise<void> {
    const kept = await this.services.keptReply(this.request);
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

  /** Claims the key, has the effect and keeps the reply, in one transaction. @throws KeyTakenError */
  runTogether(work: () => Promise<KeptReply>): Promise<KeptReply> {
    const { database, store } = this.services;
    return database.transaction(async () => {
      await store.claim(this.request);
      this.claimed();
      const reply = await work();
      await store.complete(this.request, reply);
      return reply;
    });
  }

  /** Stores an effect that is about to be made, and claims the key, in one transaction. @throws KeyTakenError */
  async start<T>(work: () => Promise<T>, effectOf: (result: T) => PendingEffect): Promise<T> {
    const { database, store } = this.services;
    const started = await database.transaction(async () => {
      const result = await work();
      const { id: effectId, unknown, withinMs } = effectOf(result);
      this.effect = new StartedEffect(this.request, effectId, this.services);
      await store.claim(this.request, { effectId, reply: this.presenter.ofError(unknown), withinMs });
      return result;
    });
    this.claimed();
    return started;
  }

  /** As {@link KeyedCallsService.settle}: in a transaction that remains open until {@link conclude} has added the reply to it. */
  settle<T>(work: () => Promise<T>, alone: () => void): Promise<T> {
    if (!this.effect) throw new Error('The effect that is to be settled was not started');
    return this.effect.settle(work, alone);
  }

  /**
   * Ends the key of a call that was started. While the database is unavailable its settlement and its end are stored later: the
   * effect has happened, so the caller gets its reply. A call that was not settled remains in progress until its time is up.
   */
  async conclude(ending: Ending): Promise<void> {
    const { effect } = this;
    await effect?.end(ending).catch((error: unknown) => this.services.failed(effect, ending, error));
  }
}
