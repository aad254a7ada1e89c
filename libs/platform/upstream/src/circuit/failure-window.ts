import type { BreakerOptions } from '../upstream-options';

const BUCKETS = 10;

interface Bucket {
  startedAt: number;
  successes: number;
  /** Failures that concern all callers, such as failures to connect. */
  common: number;
  /** Failures by caller. */
  byCaller: Map<string, number>;
  firstFailureAt?: number;
  lastFailureAt?: number;
}

/** Recent successes and failures, and whether they make an outage. */
export class FailureWindow {
  private buckets: Bucket[] = [];
  private readonly mostPerCaller: number;

  constructor(
    private readonly options: Omit<BreakerOptions, 'resetMs'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.mostPerCaller = Math.ceil(options.failures / 2);
  }

  succeeded(): void {
    this.bucket().successes++;
  }

  /** @param caller whose call failed; undefined for failures that concern all callers */
  failed(caller?: string): void {
    const bucket = this.bucket();
    if (caller === undefined) bucket.common++;
    else bucket.byCaller.set(caller, (bucket.byCaller.get(caller) ?? 0) + 1);
    bucket.lastFailureAt = this.now();
    bucket.firstFailureAt ??= bucket.lastFailureAt;
  }

  /** Whether the failures make an outage. */
  get tripped(): boolean {
    this.forget();
    const { failures, spreadMs } = this.options;
    const failing = this.buckets.filter(({ firstFailureAt }) => firstFailureAt !== undefined);
    const spread = (failing.at(-1)?.lastFailureAt ?? 0) - (failing[0]?.firstFailureAt ?? 0);
    if (spread < spreadMs) return false;
    const counted = this.counted(failing);
    return counted >= failures && counted > this.buckets.reduce((sum, { successes }) => sum + successes, 0);
  }

  /** Deletes all counts: the upstream has recovered. */
  clear(): void {
    this.buckets = [];
  }

  private counted(failing: Bucket[]): number {
    const byCaller = new Map<string, number>();
    let counted = 0;
    for (const bucket of failing) {
      counted += bucket.common;
      for (const [caller, count] of bucket.byCaller) byCaller.set(caller, (byCaller.get(caller) ?? 0) + count);
    }
    for (const count of byCaller.values()) counted += Math.min(count, this.mostPerCaller);
    return counted;
  }

  private bucket(): Bucket {
    this.forget();
    const last = this.buckets.at(-1);
    const now = this.now();
    if (last && now - last.startedAt < this.options.windowMs / BUCKETS) return last;
    const next: Bucket = { startedAt: now, successes: 0, common: 0, byCaller: new Map() };
    this.buckets.push(next);
    return next;
  }

  private forget(): void {
    const since = this.now() - this.options.windowMs;
    while (this.buckets[0] && this.buckets[0].startedAt < since) this.buckets.shift();
  }
}
