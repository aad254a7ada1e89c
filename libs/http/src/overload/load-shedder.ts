/** When load is shed. */
export interface LoadShedderOptions {
  /** Waiting time, in milliseconds, that is kept to under overload. */
  targetMs: number;
  /** Load is shed once the waiting time has been above the target for this long without a break: a burst passes. */
  standingMs: number;
}

/** Requests per second that are let in at least, to see how long they wait. */
const LEAST_PER_SECOND = 10;
/**
 * Part of what was being finished when the overload began that is let in whatever the waiting time: refusing costs time, too,
 * and a process that lets fewer and fewer in because of it would end up doing nothing else.
 */
const LEAST_SHARE = 0.5;
/** How fast the rate follows the waiting time, per measurement. */
const SLOWER = 0.7;
const FASTER = 1.25;
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
  private perSecond = 0;
  private least = LEAST_PER_SECOND;
  private allowance = 0;
  private finished = 0;
  private finishedPerSecond = 0;
  private measuredAt: number;
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

  /** Counts a request that was let in and has been answered. */
  finish(): void {
    this.finished++;
  }

  /** Takes in how long a request that comes now would wait, in milliseconds; to be told about ten times a second. */
  measure(waitMs: number): void {
    const now = this.now();
    const seconds = (now - this.measuredAt) / 1000;
    if (seconds <= 0) return;
    this.measuredAt = now;
    const weight = Math.min(1, seconds);
    this.finishedPerSecond += weight * (this.finished / seconds - this.finishedPerSecond);
    this.finished = 0;
    this.waitingSince = waitMs > this.options.targetMs ? (this.waitingSince ?? now) : undefined;
    if (this.shedding) this.adjust(waitMs, now);
    else if (this.waitingSince !== undefined && now - this.waitingSince >= this.options.standingMs) this.begin(now);
    // What is not used of one measurement's share is not saved up: it would come back as a burst.
    this.allowance = Math.max(1, this.perSecond * Math.min(seconds, 1));
  }

  private begin(now: number): void {
    this.shedding = true;
    this.least = Math.max(LEAST_PER_SECOND, this.finishedPerSecond * LEAST_SHARE);
    this.perSecond = Math.max(this.least, this.finishedPerSecond);
    this.refusedAt = now;
  }

  private adjust(waitMs: number, now: number): void {
    const pace = Math.min(FASTER, Math.max(SLOWER, this.options.targetMs / Math.max(waitMs, 1)));
    this.perSecond = Math.max(this.least, this.perSecond * pace);
    if (waitMs <= this.options.targetMs && now - this.refusedAt > CALM_MS) this.shedding = false;
  }
}
