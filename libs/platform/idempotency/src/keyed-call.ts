import type { ServiceError } from '@platform/errors';
import type { KeptReply } from './replies/kept-reply';
import type { SealedReply } from './replies/reply-sealer.service';
import type { RequestKey } from './request-key';
import type { Ending, KeyedTransactionsService, Settlement } from './keyed-transactions.service';

/** How the reply will look; known to whoever sends it. */
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

/** A request with an Idempotency-Key, while it runs. */
export class KeyedCall {
  private effectId?: string;
  private settlement?: Settlement;
  private owned = false;

  constructor(
    readonly request: RequestKey,
    private readonly transactions: KeyedTransactionsService,
    private readonly presenter: ReplyPresenter,
  ) {}

  /** Whether the key was claimed for this request: what it fails with from then on is its own, and no other reply is kept. */
  get hasClaimed(): boolean {
    return this.owned;
  }

  /** Whether the settlement's transaction waits for {@link conclude}. */
  get isSettling(): boolean {
    return this.settlement !== undefined;
  }

  /** What an effect in the database is stored with: the ledger claims the key together with its reservation. */
  get claim(): Pick<RequestKey, 'hash' | 'fingerprint'> {
    const { hash, fingerprint } = this.request;
    return { hash, fingerprint };
  }

  /**
   * The reply with this body, to be stored with what settles the call. @param headers those that belong to it @returns null
   * if it is too large to be kept
   */
  async seal(body: Buffer, headers: Record<string, string>): Promise<SealedReply | null> {
    return (await this.transactions.seal(this.request, this.presenter.ofBody(body, headers))) ?? null;
  }

  /** Says that the key was claimed with {@link claim}. */
  claimed(): void {
    this.owned = true;
  }

  /**
   * Looks the key up before it is claimed, for what only a first try may do. @throws KeyTakenError, or ServiceError as
   * IdempotencyStoreService.find
   */
  assertFree(): Promise<void> {
    return this.transactions.assertFree(this.request);
  }

  /** Claims the key, has the effect and keeps the reply, in one transaction. @throws KeyTakenError */
  runTogether(work: () => Promise<KeptReply>): Promise<KeptReply> {
    return this.transactions.runTogether(this.request, () => {
      this.claimed();
      return work();
    });
  }

  /** Stores an effect that is about to be made, and claims the key, in one transaction. @throws KeyTakenError */
  async start<T>(work: () => Promise<T>, effectOf: (result: T) => PendingEffect): Promise<T> {
    const started = await this.transactions.start(this.request, async () => {
      const result = await work();
      const { id, unknown, withinMs } = effectOf(result);
      this.effectId = id;
      return { result, pending: { effectId: id, reply: this.presenter.ofError(unknown), withinMs } };
    });
    this.claimed();
    return started;
  }

  /** Stores how the effect ended. The transaction remains open until {@link conclude} has added the reply to it. */
  async settle<T>(work: () => Promise<T>): Promise<T> {
    const settlement: Settlement = { work };
    this.settlement = settlement;
    const { result, transaction } = await this.transactions.settle(work);
    settlement.transaction = transaction;
    return result;
  }

  /** Ends the key of a call that was started. One that was not settled remains in progress until its time is up. */
  async conclude(ending: Ending): Promise<void> {
    const { effectId, settlement } = this;
    if (effectId !== undefined && settlement)
      await this.transactions.conclude(this.request, { effectId, settlement, ending });
  }
}
