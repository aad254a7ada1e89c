import type { FastifyInstance } from 'fastify';
import { ServiceError } from '@platform/errors';
import { onReplyClosed } from './connections';
import { problemOf, sendProblem } from './problem';

interface LoadShedderOptions {
  /** Target waiting time under overload, in milliseconds. */
  targetMs: number;
  /** Load is shed once the waiting time has been above the target for this long without a break: a burst passes. */
  standingMs: number;
}

/** Minimum number of requests per second that are accepted, to measure how long they wait. */
const LEAST_PER_SECOND = 10;
/** Period over which the rate of finished requests is averaged: as long as the waiting time takes to react. */
const AVERAGED_MS = 300;
/** Below this part of the target waiting time, the capacity may be higher than the rate of finished requests. */
const CAPACITY_THRESHOLD = 0.5;
/** Factor by which the assumed capacity may grow per measurement, and its limit relative to the finished rate. */
const GROWTH = 1.25;
const HEADROOM = 2;
/** Part of the rate that is accepted while the requests from before the shedding are worked off. */
const BACKLOG_SHARE = 0.1;
/**
 * Minimum part of the rate that is accepted after that: a waiting time that does not fall although fewer are accepted
 * has another cause.
 */
const LEAST_SHARE = 0.5;
/** Factor per measurement by which the known rate is reduced if even that part is too much. */
const DECAY = 0.95;
/** Unused capacity that is saved, in seconds: requests do not arrive evenly. */
const SAVED_SECONDS = 0.5;
/** Shedding ends when no request had to be refused for this long, in milliseconds. */
const CALM_MS = 2000;

/**
 * Decides which requests are accepted. While requests are served as fast as they arrive, all are accepted. Once a queue
 * persists, accepting all would make all wait longer and longer until none is served in time; so only as many are
 * accepted as are finished, a little more or fewer while the measured waiting time is below or above its target. All
 * others are refused at once.
 */
export class LoadShedder {
  private waitingSince?: number;
  private shedding = false;
  /** Whether the requests from before the shedding have been worked off. */
  private caughtUp = false;
  /** The assumed capacity in requests per second, and the rate measured before the shedding. */
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

  /** Whether to accept a request. */
  admit(): boolean {
    if (!this.shedding) return true;
    if (this.allowance >= 1) {
      this.allowance--;
      return true;
    }
    this.refusedAt = this.now();
    return false;
  }

  /** Counts the end of an accepted request. */
  finish(): void {
    this.finished++;
  }

  /** Updates the measured waiting time of a new request, in milliseconds; called about ten times a second. */
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

  /** @returns how many requests per second are accepted until the next measurement */
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

const LOOP_EVERY_MS = 20;

/** Measures the event loop's delay: how long a new request waits before it is handled. */
class LoopDelay {
  private latest = 0;
  private due = performance.now() + LOOP_EVERY_MS;
  private readonly timer = setInterval(() => this.note(), LOOP_EVERY_MS).unref();

  /** The delay in milliseconds, averaged over about a tenth of a second. */
  get ms(): number {
    return this.latest;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private note(): void {
    const now = performance.now();
    this.latest += 0.3 * (Math.max(0, now - this.due) - this.latest);
    this.due = now + LOOP_EVERY_MS;
  }
}

/** A burst that can be served within 2 s is not refused: requests accepted in its first second wait during the next. */
const STANDING_MS = 1000;
const MEASURE_EVERY_MS = 100;

/** A measurement of the time that new work has to wait, in milliseconds. */
export interface WaitingTime {
  queueDelayMs(): number;
}

/**
 * Refuses requests with 503 while more arrive than can be served in time: the waiting time is the delay of the event loop, or
 * of `queue` if that is longer. @param targetMs target waiting time under overload, in milliseconds
 */
export function shedOverload(server: FastifyInstance, targetMs: number, queue: WaitingTime): LoadShedder {
  const shedder = new LoadShedder({ targetMs, standingMs: STANDING_MS });
  const loop = new LoopDelay();
  const measure = () => shedder.measure(Math.max(loop.ms, queue.queueDelayMs()));
  const timer = setInterval(measure, MEASURE_EVERY_MS).unref();
  addLoadShedding(server, shedder);
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    loop.stop();
    done();
  });
  return shedder;
}

/** Adds the hook that asks the shedder about each request except health checks. */
export function addLoadShedding(server: FastifyInstance, shedder: LoadShedder): void {
  const finish = () => shedder.finish();
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health/')) return done();
    if (shedder.admit()) {
      // 'close' covers both: answered, or the client disconnected, as most do in an overload.
      onReplyClosed(reply.raw, finish);
      return done();
    }
    const busy = new ServiceError('service_unavailable', 'There are more requests than can be served; try again', {
      retryAfterSeconds: 1,
    });
    sendProblem(reply, problemOf(busy, request.id));
  });
}
