import type { CacheUse, TokenUsage } from './token-usage';

/** Asks for credit to be reserved for a call. */
export interface ReservationRequest {
  customerId: string;
  /** A UUID of the caller's making. */
  reservationId: string;
  /** Most input tokens the call can have. */
  inputTokens: number;
  cache: CacheUse;
  /** Output tokens wanted. */
  maxTokens: number;
  /** Fewest output tokens that are worth the call. */
  leastTokens: number;
  /** Whether fewer than `maxTokens` will do, down to `leastTokens`, if the credit buys no more. */
  mayShorten: boolean;
  /** Our own request's id. */
  requestId: string | null;
  tokenId: string | null;
}

/** Why no credit was reserved (`sql/reserve.sql`). */
export type ReservationRefusal = 'disabled' | 'not_configured' | 'exhausted' | 'in_progress' | 'over_limit';

/** The answer to a reservation request. Nothing is reserved unless `reserved`. */
export type ReservationResult =
  | { outcome: ReservationRefusal }
  /** The credit may do for fewer input tokens or a shorter answer. */
  | { outcome: 'too_large'; model: string; keyCiphertext: Buffer | null }
  | { outcome: 'reserved'; model: string; keyCiphertext: Buffer | null; maxTokens: number };

/** A call that the upstream answered. */
export interface Settlement {
  customerId: string;
  reservationId: string;
  usage: TokenUsage;
  /** The upstream's own id of the call. */
  upstreamId: string | null;
}

/** How a call was charged. */
export interface SettlementResult {
  /** What it cost beyond what could be charged, in NOK as a decimal text; 0 as a rule. */
  uncovered: string;
  /** Whether the reservation had been given up before. */
  late: boolean;
}

/** A call that is not charged. */
export interface Release {
  customerId: string;
  reservationId: string;
  /** `released` when it cost nothing; `outcome_unknown` when it may have, for the operator to look at. */
  outcome: 'released' | 'outcome_unknown';
  /** Why, in a few words; the operator reads it. */
  reason: string;
}

/** How a reservation was resolved. `settled_late`: given up first, charged when its answer came. */
export type Resolution = 'released' | 'outcome_unknown' | 'settled' | 'settled_late';
