import { LinkedList, type ListEntry } from '@platform/collections';
import { HeldShares } from '@platform/fairness';
import type { BreakerOptions } from './upstream-options';
import type { UpstreamFailureReason } from './upstream-reply';

/**
 * Time in which a call is made that was offered to be the trial, in milliseconds. Its caller may be refused before, for want of credit, say,
 * and come again at once: the next offer is another caller's.
 */
const OFFER_MS = 250;

/**
 * Stops calls to an upstream that is down, so that callers get an error at once instead of waiting. Closed: calls are made.
 * Open: they are not. Trying: one call is made to see whether the upstream is back, and another each time that it has shown
 * nothing for as long as the circuit stays open. It observes the reports of calls, not their promises: a call may last long after it
 * has shown whether the upstream answers.
 */
export class Circuit {
  private state: 'closed' | 'open' | 'trying' = 'closed';
  private readonly window: FailureWindow;
  /** When it opened, or began to try. */
  private since = 0;
  private offeredAt = -Infinity;

  /** @param onChange called when the circuit opens, also after a trial call in vain, and when it closes */
  constructor(
    private readonly options: BreakerOptions,
    private readonly onChange: (open: boolean) => void = () => undefined,
  ) {
    this.window = new FailureWindow(options);
  }

  /** Whether the upstream counts as down. */
  get open(): boolean {
    return this.state !== 'closed';
  }

  /**
   * Whether a call would be admitted, for callers whose preparation is expensive. While the circuit is open, it returns
   * true once each time that a trial call is due, and again if none was made.
   */
  offers(): boolean {
    if (this.state === 'closed') return true;
    const waitMs = Math.min(OFFER_MS, this.options.resetMs);
    if (!this.mayTry || performance.now() - this.offeredAt < waitMs) return false;
    this.offeredAt = performance.now();
    return true;
  }

  /** Admits a call and returns its observation; undefined while the upstream counts as down. */
  enter(): Observation | undefined {
    if (this.state === 'closed') return new Observation(this, false);
    if (!this.mayTry) return undefined;
    this.state = 'trying';
    this.since = performance.now();
    return new Observation(this, true);
  }

  /** The upstream answered a call. */
  succeeded(isTrial: boolean): void {
    if (!isTrial || this.state === 'closed') return this.window.succeeded();
    this.window.clear();
    this.state = 'closed';
    this.onChange(false);
  }

  /** The upstream failed. @param caller see {@link Observation.failed} */
  failed(isTrial: boolean, caller?: string): void {
    this.window.failed(caller);
    if (this.state === 'closed' ? this.window.tripped : isTrial) this.trip();
  }

  /** Opens, or stays open. */
  private trip(): void {
    this.state = 'open';
    this.since = performance.now();
    this.onChange(true);
  }

  /**
   * A trial call told nothing. @param byItsCaller whether that was its caller's doing: the next call may try at once, as who was refused, or
   * has left, comes again first
   */
  toldNothing(byItsCaller: boolean): void {
    if (this.state === 'closed') return;
    if (!byItsCaller) return this.trip();
    this.state = 'open';
    this.since = -Infinity;
  }

  /** Whether a trial call is due although the circuit is open. */
  private get mayTry(): boolean {
    return this.state !== 'closed' && performance.now() - this.since >= this.options.resetMs;
  }
}

/** Failures to connect count against the upstream for every caller. */
const NETWORK_FAILURES: readonly UpstreamFailureReason[] = [
  'no_such_name',
  'refused',
  'unreachable',
  'tls',
  'timeout_connect',
  'gone_silent',
];
/** These do not count against the upstream. */
const OWN_REFUSALS: readonly UpstreamFailureReason[] = ['cancelled', 'shutdown', 'busy', 'share_used', 'circuit_open'];
/** These may be caused by a stall of this process, which then did not check the clock or the connection. */
const TIME_LIMITS: readonly UpstreamFailureReason[] = [
  'gone_silent',
  'timeout_connect',
  'timeout_total',
  'disconnected',
  'cut_off',
];

/** How a call ended. */
export interface CallEnd {
  /** Whether it has no usable reply; `reason` if that was the upstream's or the network's doing. */
  isError: boolean;
  reason: UpstreamFailureReason | undefined;
  /** Status of the latest reply. */
  status: number | undefined;
  /** Whether we were holding the reply back. */
  heldBack: boolean;
  /** Whether this process stalled for a significant part of the call. */
  stalled: boolean;
  /** Whether there was an attempt: not if its caller's share was used up, say. */
  wasMade: boolean;
  caller: string | undefined;
}

/** Reports the result of a call to the circuit. Only the first report counts. */
export class Observation {
  private reported = false;
  /** Whether the call counts as failed because it was slow, and may still be answered. */
  private isSlow = false;

  /** @param isTrial whether the call was admitted although the circuit was open, and has not shown yet whether the upstream is back */
  constructor(
    private readonly circuit: Circuit,
    private isTrial: boolean,
  ) {}

  /**
   * The upstream failed. @param caller whose call it was; undefined for failures that concern all callers, such as
   * failures to connect
   */
  failed(caller?: string): void {
    if (this.isFirst()) this.circuit.failed(this.isTrial, caller);
  }

  /** No reply has begun for too long: the call counts as failed, unless one begins after all. @param caller see {@link failed} */
  slow(caller?: string): void {
    this.isSlow = true;
    this.failed(caller);
  }

  /** Judges how the call ended: for the upstream, against it, or neither. */
  ended(end: CallEnd): void {
    const { reason, heldBack, stalled, wasMade, caller } = end;
    if (!isFailure(end)) this.succeeded();
    else if (heldBack || (reason && (OWN_REFUSALS.includes(reason) || (stalled && TIME_LIMITS.includes(reason)))))
      this.nothing(!wasMade || reason === 'cancelled');
    else this.failed(reason && NETWORK_FAILURES.includes(reason) ? undefined : caller);
  }

  /**
   * A reply has begun. It shows enough if it is a slow call's, which has been counted as failed, or that of a trial whose end may
   * be far. How the call ends counts as any call's. @param isStream whether it is a stream's
   */
  begun(status: number, isStream: boolean): void {
    if (!(this.isSlow && status < 500) && !(this.isTrial && isStream && status < 300)) return;
    this.isSlow = this.isTrial = false;
    this.circuit.succeeded(true);
  }

  /** The upstream works, even if it refused. */
  succeeded(): void {
    if (this.isFirst()) this.circuit.succeeded(this.isTrial);
  }

  /** The call tells nothing about the upstream, for example because this process stalled. @param byItsCaller see {@link Circuit.toldNothing} */
  private nothing(byItsCaller = false): void {
    if (this.isFirst() && this.isTrial) this.circuit.toldNothing(byItsCaller);
  }

  private isFirst(): boolean {
    return !this.reported && (this.reported = true);
  }
}

/**
 * A status of 4xx is the caller's fault and never counts as a failure of the upstream. An unusable 2xx reply does.
 */
function isFailure({ isError, reason, status }: CallEnd): boolean {
  if (reason !== undefined && reason !== 'status') return true;
  if (status === undefined) return isError;
  return status >= 500 || (status < 300 && isError);
}

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
class FailureWindow {
  private buckets: Bucket[] = [];
  private readonly mostPerCaller: number;

  constructor(private readonly options: BreakerOptions) {
    this.mostPerCaller = Math.ceil(options.failures / 2);
  }

  succeeded(): void {
    this.bucket(performance.now()).successes++;
  }

  /** @param caller whose call failed; undefined for failures that concern all callers */
  failed(caller?: string): void {
    const now = performance.now();
    const bucket = this.bucket(now);
    if (caller === undefined) bucket.common++;
    else bucket.byCaller.set(caller, (bucket.byCaller.get(caller) ?? 0) + 1);
    bucket.lastFailureAt = now;
    bucket.firstFailureAt ??= now;
  }

  /** Whether the failures make an outage. */
  get tripped(): boolean {
    this.forget(performance.now());
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

  private bucket(now: number): Bucket {
    this.forget(now);
    const last = this.buckets.at(-1);
    if (last && now - last.startedAt < this.options.windowMs / BUCKETS) return last;
    const next: Bucket = { startedAt: now, successes: 0, common: 0, byCaller: new Map() };
    this.buckets.push(next);
    return next;
  }

  private forget(now: number): void {
    const since = now - this.options.windowMs;
    while (this.buckets[0] && this.buckets[0].startedAt < since) this.buckets.shift();
  }
}

/** While an upstream answers no call, further ones may wait for it up to this fraction of its concurrency. */
const PART_WHILE_SILENT = 8;

/** A call that waits for the head of its reply. */
export interface WaitingCall {
  readonly caller: string | undefined;
  readonly since: number;
  /** Age at which it should have been answered. */
  readonly slowAfterMs: number;
  /** Whether it began to wait while the upstream was silent. */
  readonly hasPlace: boolean;
}

/** The calls that wait for a reply to begin; bounds those that begin to wait while the upstream is silent. */
export class WaitingCalls {
  private readonly calls = new LinkedList<WaitingCall>();
  private heardAt = -Infinity;
  /** Shared, so that one caller leaves room for the others. Its calls of before do not count: the upstream was well, as far as it knew. */
  private readonly places: HeldShares;

  /** @param options `slowAfterMs` is the least that a call has */
  constructor(private readonly options: { concurrency: number; slowAfterMs: number }) {
    this.places = new HeldShares(Math.max(2, Math.ceil(options.concurrency / PART_WHILE_SILENT)));
  }

  get count(): number {
    return this.calls.size;
  }

  /** Whether one more call may wait. */
  admits(caller?: string): boolean {
    return !this.silent || this.places.check(caller) === 'granted';
  }

  /** Whether nothing was heard for as long as one of the calls should have taken. */
  get silent(): boolean {
    const now = performance.now();
    // So it is nearly always, and the calls may be many.
    if (now - this.heardAt < this.options.slowAfterMs) return false;
    for (const { since, slowAfterMs } of this.calls)
      if (now - Math.max(since, this.heardAt) >= slowAfterMs) return true;
    return false;
  }

  begin(caller: string | undefined, slowAfterMs: number): ListEntry<WaitingCall> {
    const hasPlace = this.silent;
    if (hasPlace) this.places.force(caller);
    return this.calls.add({ caller, since: performance.now(), slowAfterMs, hasPlace });
  }

  /** The call is answered, or has ended. */
  end(call: ListEntry<WaitingCall>): void {
    const { caller, hasPlace } = call.value;
    if (call.remove() && hasPlace) this.places.give(caller);
  }

  /** The upstream has sent something. */
  heard(): void {
    this.heardAt = performance.now();
  }
}

const TICK_MS = 50;
/** Lateness that does not count: timers are never exact. */
const GRACE_MS = 50;
/** The stall that makes a failure our own: at least this long, and at least this part of the call's time. */
const STALL = { ms: 200, part: 0.1 };

/**
 * Measures stalls of this process: garbage collection, a long computation, a suspended machine. Time-outs during a
 * stall say nothing about an upstream.
 */
export class StallMeter {
  private calls = 0;
  private total = 0;
  private tickAt = 0;
  private timer?: NodeJS.Timeout;

  /** Measures while a call is in progress. @returns the time of stalls at its beginning */
  begin(): number {
    if (this.calls++ === 0) {
      this.tickAt = performance.now();
      this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    }
    return this.stalledMs;
  }

  /** Ends the measurement for a call. */
  end(): void {
    if (--this.calls === 0) clearInterval(this.timer);
  }

  /**
   * Whether this process stalled for a significant part of a call; a busy process stalls briefly in every call.
   * @param before the time of stalls when it began @param durationMs of the call
   */
  explains(before: number, durationMs: number): boolean {
    return this.stalledMs - before > Math.max(STALL.ms, STALL.part * durationMs);
  }

  /** Milliseconds of stalls, of those that were measured. */
  private get stalledMs(): number {
    return this.total + this.lateness();
  }

  private tick(): void {
    this.total += this.lateness();
    this.tickAt = performance.now();
  }

  private lateness(): number {
    const late = performance.now() - this.tickAt - TICK_MS;
    return late > GRACE_MS ? late : 0;
  }
}
