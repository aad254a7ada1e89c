import { AdmissionCredit } from './admission-credit';
import { FinishingRate } from './finishing-rate';
import { StandingWait } from './standing-wait';

export interface LoadShedderOptions {
  /** Target waiting time under overload, in milliseconds. */
  targetMs: number;
  /** Shedding starts when the waiting time has been above this, in milliseconds, … */
  lateMs: number;
  /** … for this long without a break, in milliseconds, … */
  standingMs: number;
  /** … or when so many more requests have arrived than were finished since it rose above the target. */
  burst: number;
}

/** Part of the finished requests whose place is given to another while the requests from before the shedding are worked off. */
const BACKLOG_SHARE = 0.1;
/**
 * Minimum of that part afterwards: a waiting time that does not fall although fewer are accepted has another cause.
 */
const MIN_SHARE = 0.5;
/** How many more requests are accepted than were finished while none waits, as a part. */
const GROWTH = 0.25;
/** Factors per second by which the known rate is reduced: while none is refused, and if even the minimum is too much. */
const DECAY = 0.98;
const FAST_DECAY = 0.6;
/** Factor per 100 ms by which the accepted rate may grow further while none waits, … */
const EASE = 1.6;
/** … and the factor at which shedding ends. */
const EASED = 8;
/** Shedding also ends when no request had to be refused for this long, in milliseconds. */
const CALM_MS = 2000;
/** For this long after the shedding only this part of a burst passes: what arrives too fast again is not a burst. */
const WARY_MS = 10_000;
const WARY_PART = 0.1;

/**
 * Decides which requests are accepted. While requests are served as fast as they arrive, all are accepted. Once a queue
 * persists, accepting all would make all wait longer and longer until none is served in time; so one is accepted for each
 * one that is finished, a little more or fewer while the measured waiting time is below or above its target. All others
 * are refused at once.
 */
export class LoadShedder {
  private shedding = false;
  /** Whether the waiting time is above the target. */
  private isWaiting = false;
  private lateSince?: number;
  /** Requests that arrived and were not finished since then. */
  private excess = 0;
  /** Whether the requests from before the shedding have been worked off. */
  private caughtUp = false;
  /** How many requests are accepted for one that is finished. */
  private share = 1;
  /** By how much more, because none has been waiting for a while. */
  private ease = 1;
  private readonly credit = new AdmissionCredit();
  private readonly rate = new FinishingRate();
  private readonly wait = new StandingWait();
  /** The highest rate of the last minute or so, in requests per second: the rate of a moment may be that of a pause. */
  private known = 0;
  private measuredAt: number;
  private begunAt = 0;
  private endedAt = -Infinity;
  private refusedAt = -Infinity;

  constructor(
    private readonly options: LoadShedderOptions,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.measuredAt = now();
  }

  /** Whether requests are being refused. */
  get active(): boolean {
    return this.shedding;
  }

  /** Whether a request is accepted. */
  admit(): boolean {
    if (!this.shedding) {
      if (this.isWaiting && ++this.excess > this.burst()) this.begin();
      return true;
    }
    if (this.credit.spend()) return true;
    this.refusedAt = this.now();
    return false;
  }

  /** Counts an accepted request that has ended, with whatever result. */
  finish(): void {
    this.rate.count();
    if (this.shedding) this.credit.earn(this.share * this.ease);
    else if (this.isWaiting) this.excess--;
  }

  /** Takes the present waiting time of a new request, in milliseconds. To be called about every 20 ms. */
  measure(waitMs: number): void {
    const now = this.now();
    const ms = now - this.measuredAt;
    if (ms <= 0) return;
    this.measuredAt = now;
    this.rate.measure(ms);
    this.known = Math.max(this.rate.perSecond, this.known * (this.shedding ? 1 : DECAY ** (ms / 1000)));
    const standing = this.wait.add(waitMs);
    if (!this.shedding) this.watch(standing);
    if (this.shedding) this.steer(standing, ms);
  }

  private watch(waitMs: number): void {
    const { targetMs, lateMs, standingMs } = this.options;
    if (!this.isWaiting) this.excess = 0;
    this.isWaiting = waitMs > targetMs;
    this.lateSince = waitMs > lateMs ? (this.lateSince ?? this.measuredAt) : undefined;
    if (this.lateSince !== undefined && this.measuredAt - this.lateSince >= standingMs) this.begin();
  }

  private burst(): number {
    return this.measuredAt - this.endedAt < WARY_MS ? WARY_PART * this.options.burst : this.options.burst;
  }

  private begin(): void {
    this.shedding = true;
    this.caughtUp = false;
    this.share = BACKLOG_SHARE;
    this.ease = 1;
    this.begunAt = this.refusedAt = this.now();
    this.credit.clear();
  }

  /** Sets how many requests are accepted until the next measurement. */
  private steer(waitMs: number, ms: number): void {
    const { targetMs, standingMs } = this.options;
    if (waitMs <= targetMs || this.measuredAt - this.begunAt > 2 * standingMs) this.caughtUp = true;
    if (waitMs > standingMs && this.caughtUp) this.known *= FAST_DECAY ** (ms / 1000);
    const least = this.caughtUp ? MIN_SHARE : BACKLOG_SHARE;
    this.share = this.caughtUp ? shareAt(waitMs / targetMs) : BACKLOG_SHARE;
    this.ease = waitMs <= targetMs / 2 ? this.ease * EASE ** (Math.min(ms, 100) / 100) : 1;
    this.credit.refill(least * this.known, this.ease * this.rate.perSecond, ms);
    const isCalm = waitMs <= targetMs && this.measuredAt - this.refusedAt > CALM_MS;
    if (isCalm || this.ease > EASED) this.end();
  }

  private end(): void {
    this.shedding = false;
    this.endedAt = this.measuredAt;
    this.isWaiting = false;
    this.lateSince = undefined;
  }
}

/** @param wait the waiting time as a multiple of its target */
function shareAt(wait: number): number {
  return wait <= 1 ? 1 + GROWTH * (1 - wait) : Math.max(MIN_SHARE, 1 / wait);
}
