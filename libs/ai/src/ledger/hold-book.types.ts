/** How caching is asked for, which decides what an input token may cost. */
export type CacheUse = 'none' | '5m' | '1h';

/** A wish to set credit aside for a call. */
export interface HoldRequest {
  customerId: string;
  /** A UUID of the caller's making. */
  holdId: string;
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

/** What became of the wish. Nothing is set aside unless `held`. */
export type HoldResult =
  | { outcome: 'disabled' | 'not_configured' | 'exhausted' }
  /** The credit may do for fewer input tokens or a shorter answer. */
  | { outcome: 'too_large'; model: string; keyCiphertext: Buffer | null }
  | { outcome: 'held'; model: string; keyCiphertext: Buffer | null; maxTokens: number };

/** Tokens by price. */
export interface TokenUsage {
  /** Neither written to nor read from a cache. */
  input: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
  output: number;
}

/** A call that the upstream answered. */
export interface Settlement {
  customerId: string;
  holdId: string;
  usage: TokenUsage;
  /** The upstream's own id of the call. */
  upstreamId: string | null;
}

/** A call that cost nothing. */
export interface Release {
  customerId: string;
  holdId: string;
  /** Why, in a few words; the operator reads it. */
  reason: string;
}

/** How a call ended: charged, let go, or given up because nobody knows. */
export type CallEnd = 'settled' | 'released' | 'outcome_unknown';
