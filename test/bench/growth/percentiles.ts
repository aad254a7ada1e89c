/** Milliseconds within which so many of the calls were answered. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/** Percentiles of each round, and of these the median: a slow moment of the machine spoils one round. */
export function percentilesOf(rounds: readonly (readonly number[])[]): Percentiles {
  const of = (share: number) => median(rounds.map((round) => at(round, share)));
  return { p50: of(0.5), p95: of(0.95), p99: of(0.99) };
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function median(values: readonly number[]): number {
  return at(values, 0.5);
}
