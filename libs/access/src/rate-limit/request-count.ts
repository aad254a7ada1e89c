/** How many requests there were under a key in the present window. */
export interface RequestCount {
  totalHits: number;
  /** Whole seconds until the window ends; at least one. */
  resetSeconds: number;
}

/** A count and the milliseconds that are left of its window. */
export function requestCount(totalHits: number, leftMs: number): RequestCount {
  return { totalHits, resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)) };
}
