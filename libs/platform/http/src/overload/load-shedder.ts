/** When load is shed. */
export interface LoadShedderOptions {
  /** Waiting time, in milliseconds, that is kept to under overload. */
  targetMs: number;
  /** Load is shed once the waiting time has been above the target for this long without a break: a burst passes. */
  standingMs: number;
}

/** Requests per second that are let in at least, to see how long they wait. */
const LEAST_PER_SECOND = 10;
/** Time over which what is being finished is averaged: as long as the waiting time takes to follow what is let in. */
const AVERAGED_MS = 300;
/** Up to this part of the target there may be room for more than is being finished. */
const CAPACITY_THRESHOLD = 0.5;
/** How fast the server is taken to be able to do more, per measurement, while there is room; and how far beyond what it does. */
const GROWTH = 1.25;
const HEADROOM = 2;
/** What came in before load was shed is worked off first: meanwhile so much of the server's rate is let in. */
const BACKLOG_SHARE = 0.1;
/** Afterwards it is so much at least: a waiting time that does not fall although fewer are let in has another cause. */
const LEAST_SHARE = 0.5;
/** Unless the waiting time shows that even this is too much: then that rate is forgotten, by this much per measurement. */
const DECAY = 0.95;
/** What was not used is saved up for so long: requests do not come evenly. */
const SAVED_SECONDS = 0.5;
/** Load is shed no more when nothing had to be refused for so long. */
const CALM_MS = 2000;

/**
 * Decides which requests are let in. While they are served as fast as they come, all are. Once a queue stands, serving all
 * would make all wait ever longer until nobody is served in time; so only as many are let in as are being finished, a
 * little more or fewer as the measured waiting time is below or above its target. All others can be refused at once.
 */
export class LoadShedder {
  private waitingSince?: number;
  private shedding = false;
  /** Whether what came in before the shedding has been worked off. */
  private caughtUp = false;
  /** What the server is taken to finish in a second, and what it was seen to before it had to refuse. */
  private capacity = 0;
  private known = 0;
  private allowance = 0;
  private finished = 0;
  private finishedPerSecond = 0;
  private measuredAt: number;
  private begunAt = 0;
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

  /** Whether a request is let in. */
  admit(): boolean {
    if (!this.shedding) return true;
    if (this.allowance >= 1) {
      this.allowance--;
      return true;
    }
    this.refusedAt = this.now();
    return false;
  }

  /** Counts a request that was let in and has ended, however. */
  finish(): void {
    this.finished++;
  }

  /** Takes in how long a request that comes now would wait, in milliseconds; to be told about ten times a second. */
  measure(waitMs: number): void {
    const now = this.now();
    const ms = now - this.measuredAt;
    if (ms <= 0) return;
    this.measuredAt = now;
    const weight = Math.min(1, ms / AVERAGED_MS);
    this.finishedPerSecond += weight * ((this.finished / ms) * 1000 - this.finishedPerSecond);
    this.finished = 0;
    this.waitingSince = waitMs > this.options.targetMs ? (this.waitingSince ?? now) : undefined;
    if (!this.shedding && this.waitingSince !== undefined && now - this.waitingSince >= this.options.standingMs)
      this.begin();
    if (!this.shedding) return;
    const perSecond = this.adjust(waitMs);
    this.allowance = Math.max(
      1,
      Math.min(this.allowance + (perSecond * Math.min(ms, 1000)) / 1000, perSecond * SAVED_SECONDS),
    );
    if (this.waitingSince === undefined && now - this.refusedAt > CALM_MS) this.shedding = false;
  }

  private begin(): void {
    this.shedding = true;
    this.caughtUp = false;
    this.begunAt = this.refusedAt = this.measuredAt;
    this.capacity = this.known = Math.max(LEAST_PER_SECOND, this.finishedPerSecond);
    this.allowance = 0;
  }

  /** @returns how many requests a second are let in until the next measurement */
  private adjust(waitMs: number): number {
    const { targetMs, standingMs } = this.options;
    const backlogMs = 2 * standingMs;
    if (waitMs <= targetMs || this.measuredAt - this.begunAt > backlogMs) this.caughtUp = true;
    if (waitMs > CAPACITY_THRESHOLD * targetMs) this.capacity = this.finishedPerSecond;
    else {
      const most = HEADROOM * this.finishedPerSecond + LEAST_PER_SECOND;
      this.capacity = Math.max(this.finishedPerSecond, Math.min(this.capacity * GROWTH, most));
      this.known = Math.max(this.known, this.finishedPerSecond);
    }
    if (waitMs > standingMs && this.caughtUp) this.known *= DECAY;
    const share = waitMs > targetMs ? targetMs / waitMs : 1 + 0.2 * (1 - waitMs / targetMs);
    const least = this.known * (this.caughtUp ? LEAST_SHARE : BACKLOG_SHARE);
    return Math.max(LEAST_PER_SECOND, least, this.capacity * share);
  }
}
