import { Injectable } from '@nestjs/common';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  EntityWritesService,
  type ReadStatement,
} from '@platform/database';
import { IdempotencyKey, type IdempotencyKeyState } from './entities/idempotency-key.entity';
import { type KeptReply, ReplySealerService } from './reply-sealer.service';
import type { RequestKey } from './request-key';

/** Younger requests are not looked into: nearly all are in progress, and of a process that died nobody knows yet. */
const MAY_BE_ABANDONED = "interval '5 seconds'";

/** Another request has the key: it is in progress or done. Nothing of this request was stored. */
export class KeyTakenError extends Error {}

/** An effect outside the database, and what its key is completed with if it is still in progress after a time. */
export interface PendingClaim {
  effectId: string;
  reply: KeptReply;
  withinMs: number;
}

/** Ends an effect if its process died, and frees its key; for the customer in context. @returns whether it did */
export type EndAbandoned = (effectId: string) => Promise<boolean>;

/** A key, and the sealed reply that is kept under it. */
export interface StoredKey {
  state: IdempotencyKeyState;
  /** Of the request that claimed it. */
  fingerprint: Buffer;
  /** Since it was claimed. */
  ageSeconds: number;
  effectId: string | null;
  secretsKey: string | null;
  reply: Buffer | null;
}

interface KeyRow extends StoredKey {
  overdue: boolean | null;
  mayBeAbandoned: boolean;
  expired: boolean;
}

/** The keys of the customer in context. */
@Injectable()
export class IdempotencyStoreService {
  private readonly byHash: ReadStatement<KeyRow>;
  private readonly writes: ReturnType<typeof keyWrites>;
  private readonly endings: EndAbandoned[] = [];

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly sealer: ReplySealerService,
    reads: EntityReadsService,
    writes: EntityWritesService,
  ) {
    this.writes = keyWrites(writes);
    const key = reads.table(IdempotencyKey, 'k');
    const bytes = (text: string) => Buffer.from(text.slice(2), 'hex');
    this.byHash = reads.statement<KeyRow>(
      'idempotency.find',
      `select ${key.select(['state', 'fingerprint', 'effectId'])}, ${key.column('deadline')} < app.now() as overdue,
         extract(epoch from app.now() - ${key.column('createdAt')})::integer as "ageSeconds",
         ${key.column('createdAt')} < app.now() - ${MAY_BE_ABANDONED} as "mayBeAbandoned",
         ${key.column('createdAt')} <= app.now() - app.idempotency_key_lifetime() as expired, ${key.select(['secretsKey', 'reply'])}
       from ${key.from} where ${key.column('customerId')} = $1 and ${key.column('keyHash')} = $2`,
      {
        state: decoders.text as (text: string) => IdempotencyKeyState,
        fingerprint: bytes,
        effectId: decoders.text,
        overdue: decoders.boolean,
        ageSeconds: decoders.number,
        mayBeAbandoned: decoders.boolean,
        expired: decoders.boolean,
        secretsKey: decoders.text,
        reply: bytes,
      },
    );
  }

  /**
   * Adds how a domain ends effects whose process died before it could end the key. A request that finds its key in progress
   * asks, so that a retry need not wait for a worker. Each domain knows others' ids not to be its own.
   */
  endAbandonedBy(end: EndAbandoned): void {
    this.endings.push(end);
  }

  /** The key as it is now; undefined if it was never used, or longer ago than its lifetime. */
  async find({ hash }: RequestKey): Promise<StoredKey | undefined> {
    const values = [`\\x${hash.toString('hex')}`];
    let [row] = await this.database.read(this.byHash, values);
    if (row?.state === 'in_progress' && !row.expired && (await this.endLeft(row)))
      [row] = await this.database.read(this.byHash, values);
    return row?.expired ? undefined : row;
  }

  /** Claims the key, in the transaction of its effect. @throws KeyTakenError */
  async claim(request: RequestKey, pending?: PendingClaim): Promise<void> {
    const { hash, fingerprint } = request;
    const sealed = pending && (await this.sealer.seal(request, pending.reply));
    const claim = this.writes.claim({
      keyHash: hash,
      fingerprint,
      effect: pending?.effectId ?? null,
      secretsKey: sealed?.secretsKey ?? null,
      reply: sealed?.body ?? null,
      within: pending ? `${pending.withinMs} milliseconds` : null,
    });
    const [[claimed]] = await this.database.join([claim]);
    if (!claimed?.result) throw new KeyTakenError('Another request has the Idempotency-Key');
  }

  /** Completes the key, in the transaction that settles its effect. */
  async complete(request: RequestKey, reply: KeptReply, effectId: string | null = null): Promise<void> {
    const sealed = await this.sealer.seal(request, reply);
    const [secretsKey, body] = [sealed?.secretsKey ?? null, sealed?.body ?? null];
    const completed = { keyHash: request.hash, effect: effectId, secretsKey, reply: body };
    await this.database.join([this.writes.complete(completed)]);
  }

  /** Frees the key, in the transaction that settles its effect: its request had none. */
  async free({ hash }: RequestKey, effectId: string): Promise<void> {
    await this.database.join([this.writes.free({ keyHash: hash, effect: effectId })]);
  }

  /** Ends a key in progress whose process died, as the worker does unless it is down. @returns whether it may have ended */
  private async endLeft({ overdue, mayBeAbandoned, effectId }: KeyRow): Promise<boolean> {
    if (overdue) await this.database.write([this.writes.giveUp({})]);
    if (overdue !== null) return overdue;
    if (!mayBeAbandoned || effectId === null) return false;
    for (const end of this.endings) if (await end(effectId)) return true;
    return false;
  }
}

/** The functions that change a key's state, and whether they did. */
function keyWrites(writes: EntityWritesService) {
  const returns = { result: decoders.boolean };
  const end = { keyHash: 'bytea', effect: 'uuid' } as const;
  const reply = { secretsKey: 'text', reply: 'bytea' } as const;
  return {
    claim: writes.call({
      name: 'idempotency.claim',
      calls: 'app.claim_idempotency_key',
      parameters: { keyHash: 'bytea', fingerprint: 'bytea', effect: 'uuid', ...reply, within: 'interval' },
      returns,
    }),
    complete: writes.call({
      name: 'idempotency.complete',
      calls: 'app.complete_idempotency_key',
      parameters: { ...end, ...reply },
      returns,
    }),
    free: writes.call({ name: 'idempotency.free', calls: 'app.free_idempotency_key', parameters: end, returns }),
    giveUp: writes.call({ name: 'idempotency.give-up', calls: 'app.give_up_idempotency_keys', parameters: {} }),
  };
}
