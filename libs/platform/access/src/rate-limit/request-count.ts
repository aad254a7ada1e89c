/** How many requests there were under a key in the present window. */
export interface RequestCount {
  totalHits: number;
  /** Whole seconds until the window ends; at least one. */
  resetSeconds: number;
}

/** A count and the milliseconds that are left of its window. */
export function requestCount(totalHits: number, leftMs: number): RequestCount {
  // To the millisecond first: a window just begun has 60000.0000001 ms left when times are subtracted.
  return { totalHits, resetSeconds: Math.max(1, Math.ceil(Math.round(leftMs) / 1000)) };
}
