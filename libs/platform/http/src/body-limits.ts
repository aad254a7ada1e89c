import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { type Grant, HeldShares } from '@platform/fairness';

/** Maximum size of a body, in bytes. */
export const BODY_BYTES = {
  /** Of a login, which anybody may send. */
  small: 16 * 1024,
  /** Of most routes: enough for the longest valid body, even if every character is escaped. */
  usual: 256 * 1024,
  /** Of the routes that declare it, which pass on messages: the limit of the AI provider itself. */
  large: 32 * 1024 * 1024,
} as const;

/** Pieces that a body may arrive in, and bytes that each further one has to have on average. */
export interface PieceBound {
  free: number;
  bytesEach: number;
}
const ANY_BODY: PieceBound = { free: 256, bytesEach: 16 };

/**
 * Counts the pieces in which a body arrives: the chunks that its sender made, or what a packet had of it. Each takes microseconds
 * of the event loop, and a chunk of one byte is six bytes for its sender.
 */
export class BodyPieces {
  private count = 0;
  private bytes = 0;

  /** Counts a piece. @returns whether they are too many for their bytes */
  add(bytes: number): boolean {
    this.bytes += bytes;
    this.count++;
    return this.exceed(ANY_BODY);
  }

  /** Whether they are too many for their bytes where another bound holds. */
  exceed({ free, bytesEach }: PieceBound): boolean {
    return this.count > free + this.bytes / bytesEach;
  }
}

/** `Retry-After`: some of the requests that occupy memory are likely to be finished by then. */
const RETRY_AFTER_SECONDS = 5;

/** The memory of one request's body, from its first byte until it is no longer needed. */
export interface BodyLease {
  /** Reserves more bytes. @throws ServiceError rate_limited or service_unavailable if the bound is reached */
  take(bytes: number): void;
  /** Releases all of it, for good: what is taken afterwards does not count. Idempotent. */
  release(): void;
}

/**
 * Bounds the memory of request bodies: per customer, so that none takes the others' share, and per process. Bytes count
 * when they arrive, so announcing a large body reserves nothing.
 */
@Injectable()
export class BodyMemory {
  private readonly shares: HeldShares;

  constructor(private readonly config: AppConfig) {
    this.shares = new HeldShares(config.BODY_MEMORY_BYTES);
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.shares.total;
  }

  lease(customerId: string): BodyLease {
    const { shares } = this;
    const { BODY_MEMORY_BYTES_PER_CUSTOMER: mostOfOne } = this.config;
    let taken = 0;
    let released = false;
    return {
      take: (bytes) => {
        // The client disconnected while this piece waited for its turn.
        if (released) return;
        const isTooMuch = shares.amountOf(customerId) + bytes > mostOfOne;
        const grant = isTooMuch ? 'too_much' : shares.take(customerId, bytes);
        if (grant !== 'granted') throw refusalOf(grant, mostOfOne);
        taken += bytes;
      },
      release: () => {
        released = true;
        shares.give(customerId, taken);
        taken = 0;
      },
    };
  }
}

function refusalOf(grant: 'too_much' | Exclude<Grant, 'granted'>, mostOfOne: number): ServiceError {
  const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  if (grant === 'all_used')
    return new ServiceError('service_unavailable', 'Too many large requests are in progress; try again', retry);
  const detail =
    grant === 'too_much'
      ? `The bodies of your requests in progress may have ${mostOfOne} bytes together; send fewer at a time`
      : 'The bodies of your requests in progress fill your share of the memory; send fewer at a time';
  return new ServiceError('rate_limited', detail, retry);
}

/** Time that a small piece counts as: to measure it would take longer. */
const MS_A_SMALL_PIECE = 0.005;
/** Time that Node takes to read a piece of 64 kB that is discarded. */
const MS_A_DISCARDED_BYTE = 0.05 / 65_536;

/**
 * Most milliseconds of one turn of the event loop that are spent on bodies: all other work waits for that long, several turns in a row.
 * A piece of 64 kB takes 0.05. While there is no other work, turns are short and many.
 */
const MS_A_TURN = 1;

/**
 * Shares the event loop between large bodies and other work: when a turn's time is used up, further chunks wait for
 * later turns, one of each party after the other.
 */
@Injectable()
export class TurnBudget {
  private spentMs = 0;
  /** By party, the one whose turn is next first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private scheduled = false;

  /** Whether the time of the current turn is used up. */
  get spent(): boolean {
    return this.spentMs >= MS_A_TURN || this.waiting.size > 0;
  }

  /** Runs work at once and counts its time. */
  run(work: () => void): void {
    const begun = performance.now();
    try {
      work();
    } finally {
      this.spentMs += performance.now() - begun;
      this.schedule();
    }
  }

  /** Counts a small piece, whose work is done at once. */
  countSmall(): void {
    this.spentMs += MS_A_SMALL_PIECE;
    this.schedule();
  }

  /** Counts a piece that is discarded. */
  countDiscarded(bytes: number): void {
    this.spentMs += MS_A_SMALL_PIECE + bytes * MS_A_DISCARDED_BYTE;
    this.schedule();
  }

  /** Runs work in a later turn that has time left. @param party whose body it is; empty if that is not known */
  later(party: string, work: () => void): void {
    const own = this.waiting.get(party);
    if (own) own.push(work);
    else this.waiting.set(party, [work]);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.spentMs = 0;
      while (this.spentMs < MS_A_TURN) {
        const next = this.next();
        if (!next) return;
        this.run(next);
      }
      this.schedule();
    });
  }

  /** The first work of the first party, whose turn comes last then. */
  private next(): (() => void) | undefined {
    for (const [party, works] of this.waiting) {
      const first = works.shift();
      this.waiting.delete(party);
      if (works.length > 0) this.waiting.set(party, works);
      return first;
    }
    return undefined;
  }
}

/** Of the process: it has one event loop. */
export const turnBudget = new TurnBudget();
