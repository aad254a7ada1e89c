import type { AppConfig } from '@platform/config';
import type { SealedReply } from '@platform/idempotency';
import { longestCallMs } from '../ai-values';

/**
 * Two-phase charging: credit is reserved before the upstream is called, then the reservation is settled or released. Each
 * is durable when its promise resolves. All money and all dates are computed by the database, under the lock of the
 * customer's account (`sql/`).
 */
export abstract class CreditLedger {
  /**
   * Reserves credit for a call, if the customer may use AI and has the credit. With a key, claims it in the same
   * transaction; without the credit the key stays free.
   * @throws DatabaseUnavailableError: the reservation may exist all the same; release it by its seed
   */
  abstract reserve(request: ReservationRequest): Promise<ReservationResult>;

  /**
   * Charges a call, never more than was reserved. Idempotent. A reservation with an unknown outcome is charged as far
   * as the free credit covers it, one with the outcome `not_charged` never. The reply is kept for the reservation's key in the same transaction.
   * @throws DatabaseUnavailableError: the call may be charged all the same; settle it again to find out
   */
  abstract settle(settlement: Settlement): Promise<SettlementResult>;

  /**
   * Ends a reservation without charging it, and frees its key. Idempotent.
   * @returns how the reservation ended; undefined if there is none with that id
   * @throws DatabaseUnavailableError: it may have ended all the same; release it again to find out
   */
  abstract release(release: Release): Promise<Resolution | undefined>;

  /** Closes its connections: after the last call is settled, later than Nest closes the others. */
  abstract close(): Promise<void>;
}

/** How long a reservation is pending at most, in milliseconds: then its call counts as abandoned. */
export function reservationLifetimeMs(config: AppConfig, streamed: boolean): number {
  return longestCallMs(config, streamed) + config.AI_RESERVATION_MARGIN_MS;
}

/** Asks to reserve credit for a call. */
export interface ReservationRequest {
  customerId: string;
  /** A random UUID. The reservation's id ends with its last eight bytes; if the reply is lost, it is released by it. */
  seed: string;
  /** Upper bound of the call's input tokens. */
  inputTokens: number;
  cache: CacheUse;
  /** Wanted output tokens. */
  maxTokens: number;
  /** The fewest output tokens that the call is worth making for. */
  leastTokens: number;
  /** Whether `maxTokens` may be reduced, down to `leastTokens`, if the credit buys no more. */
  mayShorten: boolean;
  /** Whether the answer is streamed: it may take longer, and so does its reservation live longer. */
  streamed: boolean;
  /** The id of the API request. */
  requestId: string | null;
  tokenId: string | null;
  /** The Idempotency-Key to claim for the call. */
  key?: KeyClaim | null;
}

/** An Idempotency-Key of the customer, and the fingerprint of its request. */
export interface KeyClaim {
  hash: Buffer;
  fingerprint: Buffer;
}

/** Why no credit was reserved (`sql/reserve.sql`). */
export type ReservationRefusal =
  'disabled' | 'not_configured' | 'exhausted' | 'in_progress' | 'over_limit' | 'key_taken';

/** Result of a reservation request. Credit is reserved only if the outcome is `reserved`. */
export type ReservationResult =
  | { outcome: ReservationRefusal }
  /** The credit may do for fewer input tokens or a shorter answer. */
  | { outcome: 'too_large'; model: string; keyCiphertext: Buffer | null }
  | { outcome: 'reserved'; reservationId: string; model: string; keyCiphertext: Buffer | null; maxTokens: number };

/** A call that the upstream answered. */
export interface Settlement {
  customerId: string;
  reservationId: string;
  usage: TokenUsage;
  /** The upstream's own id of the call. */
  upstreamId: string | null;
  /** Whether the caller got the reply as a stream of events. */
  streamed?: boolean;
  /** The reply to keep for the Idempotency-Key that the reservation claimed. */
  reply?: SealedReply | null;
}

/**
 * How a call was charged. `key_taken`: it was not, because its reservation had ended, and another call has claimed its
 * Idempotency-Key since. `not_charged`: it was not, because its customer has been told so.
 */
export interface SettlementResult {
  outcome: 'settled' | 'key_taken' | 'not_charged';
  /** The customer's payment for the call, in NOK as a decimal text. */
  charged: string;
  /** The part of the cost that could not be charged, in NOK as a decimal text; usually 0. */
  uncovered: string;
  /** Whether the reservation had ended with an unknown outcome before. */
  late: boolean;
  /** Included and purchased credit after the call, in NOK as a decimal text. If it had been settled before: the present. */
  remaining: string;
}

/** A call that is not charged, named by its reservation, or by the seed of one whose id is not known. */
export type Release = ReleaseReason &
  ({ reservationId: string; seed?: undefined } | { reservationId?: undefined; seed: string });

interface ReleaseReason {
  customerId: string;
  /**
   * `released` if the call cost nothing; `outcome_unknown` if the provider may bill it; `not_charged` to decide that the call is not
   * charged, however late a settlement of it is stored, unless one is stored already.
   */
  outcome: 'released' | 'outcome_unknown' | 'not_charged';
  /** The reason in a few words, for the operator. */
  reason: string;
}

/**
 * How a reservation ended. `settled_late`: it had ended with an unknown outcome, and was charged when the answer came.
 */
export type Resolution = 'released' | 'outcome_unknown' | 'not_charged' | 'settled' | 'settled_late';

/** Requested caching, which decides the highest price of an input token. */
export type CacheUse = 'none' | '5m' | '1h';

/** Tokens by price. */
export interface TokenUsage {
  /** Neither written to nor read from a cache. */
  input: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
  output: number;
}
