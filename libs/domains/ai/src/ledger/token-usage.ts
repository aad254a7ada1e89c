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
