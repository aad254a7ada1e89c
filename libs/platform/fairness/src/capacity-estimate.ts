/** How the waiting time is to be bounded, in milliseconds. */
export interface WaitingTarget {
  /** Waiting time that is aimed at while more is asked than can be served. */
  targetMs: number;
  /** A burst may wait so long; what waits longer is an overload. */
  standingMs: number;
}

/** Minimum that is accepted, in milliseconds of work per second, to measure how long it waits. */
const LEAST_PER_SECOND = 2;
/** Period over which the rate of finished work is averaged: as long as the waiting time takes to react. */
const AVERAGED_MS = 300;
/** Below this part of the target waiting time, the capacity may be higher than the rate of finished work. */
const CAPACITY_THRESHOLD = 0.5;
/** Factor by which the assumed capacity may grow per measurement, and its limit relative to the finished rate. */
const GROWTH = 1.25;
const HEADROOM = 2;
/** Time in which an excess of waiting time is to be worked off, in milliseconds. */
const WORK_OFF_MS = 200;
/** Part of the rate that is accepted while the requests from before the overload are worked off. */
const BACKLOG_SHARE = 0.1;
/**
 * Minimum part of the rate that is accepted after that: a waiting time that does not fall although less is accepted has
 * another cause.
 */
const LEAST_SHARE = 0.5;
/** Factor per measurement by which the known rate is reduced if even that part is too much. */
const DECAY = 0.95;

/**
 * Estimates how much can be served: as much as is finished, a little more or less while the waiting time is below or above its
 * target. The unit is a millisecond of work per second.
 */
export class CapacityEstimate {
  private capacity = 0;
  private knownPerSecond = 0;
  private finished = 0;
  private finishedPerSecond = 0;
  /** Whether the requests from before the overload have been worked off. */
  private caughtUp = false;
  /** The shortest waiting time since the overload began, and when it was. */
  private lowestMs = Infinity;
  private lowestAt = 0;

  constructor(private readonly target: WaitingTarget) {}

  /** The highest rate of finished work that was measured since the overload began, or a lower one if that is too much by now. */
  get known(): number {
    return this.knownPerSecond;
  }

  /** Counts finished work. */
  finish(ms: number): void {
    this.finished += ms;
  }

  /** Averages what was finished in the last `ms`. */
  average(ms: number): void {
    const weight = Math.min(1, ms / AVERAGED_MS);
    this.finishedPerSecond += weight * ((this.finished / ms) * 1000 - this.finishedPerSecond);
    this.finished = 0;
  }

  /** An overload begins. @param before the rate of finished work, averaged over a longer time: single ones may be large */
  begin(now: number, before: number): void {
    this.caughtUp = false;
    this.lowestMs = Infinity;
    this.lowestAt = now;
    this.capacity = this.knownPerSecond = Math.max(LEAST_PER_SECOND, before, this.finishedPerSecond);
  }

  /** How much work per second is to be accepted until the next measurement. */
  acceptable(now: number, waitMs: number, targetMs: number): number {
    const { standingMs } = this.target;
    if (waitMs < this.lowestMs) [this.lowestMs, this.lowestAt] = [waitMs, now];
    if (waitMs <= targetMs || now - this.lowestAt > 2 * standingMs) this.caughtUp = true;
    if (waitMs > CAPACITY_THRESHOLD * targetMs) this.capacity = this.finishedPerSecond;
    else {
      const most = HEADROOM * this.finishedPerSecond + LEAST_PER_SECOND;
      this.capacity = Math.max(this.finishedPerSecond, Math.min(this.capacity * GROWTH, most));
      this.knownPerSecond = Math.max(this.knownPerSecond, this.finishedPerSecond);
    }
    if (waitMs > standingMs && this.caughtUp) this.knownPerSecond *= DECAY;
    const excess = waitMs - targetMs;
    const share = excess > 0 ? Math.max(0, 1 - excess / WORK_OFF_MS) : 1 - (0.2 * excess) / targetMs;
    const least = this.knownPerSecond * (this.caughtUp ? LEAST_SHARE : BACKLOG_SHARE);
    return Math.max(LEAST_PER_SECOND, least, this.capacity * share);
  }
}
