import type { Grant } from './held-shares';

/** What any request costs, in milliseconds, apart from its body, reply and statements: the time of the event loop for one that reads a row. */
const REQUEST_MS = 0.15;

/** What a party asked for fades with this half-life, in milliseconds. */
const HALF_LIFE_MS = 2000;
/** The faded sum of a constant rate is the rate times this, in seconds. */
const WINDOW_SECONDS = HALF_LIFE_MS / 1000 / Math.LN2;
/** Parties that have an account. */
const MOST_PARTIES = 20_000;
/** An account is closed after so many half-lives without a request. */
const FORGOTTEN = 60;
/** A party counts as one of those that share when it has asked within about so many half-lives. */
const SHARING = 2 ** -5;
/** Unused share that is saved, in seconds: requests do not arrive evenly. */
const SAVED_SECONDS = 0.5;
/** A party that asks for so many times as much as the others on average is the cause of an overload, if there is one… */
const CLEARLY_MORE = 4;
/** … and if it has lately made so many requests: of fewer, chance decides. */
const LEAST_OF_CAUSE = 3;
/** Milliseconds of work per second that a process serves at least: how many is unknown after little work, and until a large request ends. */
const LEAST_CAPACITY = 200;
/** Such parties are held from this part of the target waiting time on, so that the others hardly notice. */
const CAUSE_TARGET = 0.4;
/** … if it has lasted for this long, in milliseconds: a single stall has no cause. */
const CAUSE_STANDING_MS = 100;
/** A burst is being worked off if what waits for its turn becomes fewer by this part while an overload would begin … */
const WORKED_OFF = 0.2;
/** … and was so many: of fewer, chance decides. */
const LEAST_BURST = 64;
/** An overload ends when no request had to be refused for this long, in milliseconds. */
const CALM_MS = 2000;
/** Most by which demands are corrected that have just begun, and are not yet in the faded sums. */
const MOST_CORRECTION = 10;
const MOST_PASSES = 30;

/** How the waiting time is to be bounded, in milliseconds. */
export interface WaitingTarget {
  /** Waiting time that is aimed at while more is asked than can be served. */
  targetMs: number;
  /** A burst may wait so long; what waits longer is an overload. */
  standingMs: number;
}

/** An account of a party. Faded sums are in units of {@link TimeShares.weight}. */
interface Account {
  /** Faded sum of the cost of its requests, in milliseconds. */
  cost: number;
  /** Faded numbers of requests: that have ended, and that were asked for, refused ones too. */
  ended: number;
  asked: number;
  /** Up to this virtual time the party has used its share: each accepted request takes as much as its requests cost on average. */
  usedUntil: number;
}

/**
 * The level at which a capacity is shared: who asks for less gets all of it, all others get the level ("max-min fairness": Bertsekas
 * and Gallager, Data Networks). The capacity if that is enough for all.
 */
export function fairLevel(demands: readonly number[], capacity: number): number {
  let level = capacity / Math.max(1, demands.length);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    let [left, above] = [capacity, 0];
    for (const demand of demands)
      if (demand > level) above++;
      else left -= demand;
    if (above === 0) return capacity;
    if (left <= above * level) return level;
    level = left / above;
  }
  return level;
}

/**
 * Shares the time of the process and of its database among parties: customers, or network addresses before a customer is
 * known. While requests are served as fast as they come all are accepted. While they wait, each party gets the same level of time per
 * second: who asks for less is not refused. A party that asks for clearly more than the others is held to the level first; all are only
 * if the waiting lasts. See `docs/decisions/fairness.md`.
 *
 * The share that a party has used is a point of virtual time, which passes by one level per second ("start-time fair queueing":
 * Goyal, Vin and Cheng, 1996). It is accepted while that point is not in the future.
 */
export class TimeShares {
  private readonly capacity: CapacityEstimate;
  private readonly accounts = new Map<string, Account>();
  /**
   * Of all parties, and of those that are seen for the first time or have no account: they are as one party, so that no flood of ever
   * new addresses is accepted.
   */
  private readonly all = newAccount(0);
  private readonly newcomers = newAccount(0);
  /** Which parties are held to the level. */
  private holding: 'none' | 'cause' | 'all' = 'none';
  /** Milliseconds per second that a party gets while parties are held. */
  private level = 0;
  /** The virtual time at the last measurement. */
  private virtual = 0;
  /** Average demand of those that share, and their number. */
  private averageDemand = 0;
  private sharing = 0;
  /** Milliseconds of work per second that are served for certain. */
  private least = 0;
  /** Factor by which demands are higher than the faded sums say. */
  private correction = 1;
  /** The weight of what is added to faded sums now: it grows instead of letting all accounts fade. */
  private weight = 1;
  private weightSince: number;
  private measuredAt: number;
  private waitingSince?: number;
  /** The most requests that have waited for their turn since then. */
  private mostWaiting = 0;
  private delayedSince?: number;
  private heldSince = -Infinity;
  private begunAt = -Infinity;
  private refusedAt = -Infinity;

  constructor(
    private readonly target: WaitingTarget,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.capacity = new CapacityEstimate(target);
    this.measuredAt = this.weightSince = now();
  }

  /** Whether requests have to be admitted. */
  get isHolding(): boolean {
    return this.holding !== 'none';
  }

  /** Whether more is asked for than can be served, so that all parties are held to their share. */
  get isOverloaded(): boolean {
    return this.holding === 'all';
  }

  /** Number of parties that have an account. */
  get parties(): number {
    return this.accounts.size;
  }

  /**
   * Whether to accept a request of a party; if not, whether its own share is used up, or all that can be served.
   * @param isCertain false as long as the request may turn out to be of another party: if it is accepted, it is counted when it ends. Else
   * a customer who is not recognised yet would be two parties, of which one seems to wait for the other
   * @param since when the request came, if it has waited: one that came before the overload began is served
   */
  admit(party: string, isCertain = true, since = Infinity): Grant {
    if (!this.isHolding) return 'granted';
    const account = this.accounts.get(party);
    const payer = account ?? this.newcomers;
    payer.asked += this.weight;
    const virtual = this.virtualTime();
    if (payer.usedUntil <= virtual)
      payer.usedUntil = Math.max(payer.usedUntil, virtual - this.level * SAVED_SECONDS) + this.meanCost(payer);
    else if (this.isHeld(payer)) {
      const grant = account && this.asksClearlyMore(account) ? 'share_used' : 'all_used';
      if (grant === 'share_used' || since >= this.begunAt) {
        this.refusedAt = this.now();
        return grant;
      }
    }
    if (!isCertain) payer.asked -= this.weight;
    else if (!account) this.open(party);
    return 'granted';
  }

  /** Charges a party for work that its requests have caused. */
  charge(party: string, ms: number): void {
    this.add(this.accounts.get(party) ?? this.newcomers, ms);
  }

  /** Counts the end of an accepted request. @param wasCounted whether {@link admit} was asked, for this very party */
  finish(party: string, wasCounted: boolean, ms = REQUEST_MS): void {
    let account = this.accounts.get(party);
    if (!account) {
      this.open(party);
      account = this.newcomers;
    }
    account.ended += this.weight;
    this.all.ended += this.weight;
    if (!wasCounted) account.asked += this.weight;
    this.add(account, ms);
  }

  /** How long it takes until a refused party has a share again, in seconds. */
  secondsUntilShare(party: string): number {
    const account = this.accounts.get(party);
    return account && this.level > 0 ? Math.max(0, account.usedUntil - this.virtualTime()) / this.level : 0;
  }

  /**
   * Updates the measured waiting time of a new request, in milliseconds; called about ten times a second.
   * @param isBusy whether requests wait since the process itself works
   * @param waiting how many requests wait for their turn, if that is what a new one would wait for
   */
  measure(waitMs: number, isBusy: boolean, waiting = 0): void {
    const now = this.now();
    const ms = now - this.measuredAt;
    if (ms <= 0) return;
    this.least = isBusy ? LEAST_CAPACITY : 0;
    this.virtual = this.virtualTime();
    this.measuredAt = now;
    this.capacity.average(ms);
    this.fade(now);
    const { targetMs, standingMs } = this.target;
    this.noteWaiting(waitMs > targetMs, waiting, now);
    this.delayedSince = waitMs > targetMs * CAUSE_TARGET ? (this.delayedSince ?? now) : undefined;
    if (this.holding === 'none' && this.delayedSince !== undefined && now - this.delayedSince >= CAUSE_STANDING_MS)
      this.begin('cause', now);
    if (this.holding === 'cause' && this.waitingSince !== undefined && now - this.waitingSince >= standingMs)
      this.begin('all', now);
    if (!this.isHolding) return;
    if (this.waitingSince === undefined && now - Math.max(this.refusedAt, this.begunAt) > CALM_MS) {
      this.holding = 'none';
      return;
    }
    const aim = this.holding === 'all' ? targetMs : targetMs * CAUSE_TARGET;
    this.level = this.levelFor(this.capacity.acceptable(now, waitMs, aim));
  }

  /** Notes since when requests wait, anew whenever a burst has become smaller: while it is being worked off it is no overload. */
  private noteWaiting(isWaiting: boolean, waiting: number, now: number): void {
    const isSmaller = this.mostWaiting >= LEAST_BURST && waiting < this.mostWaiting * (1 - WORKED_OFF);
    const isNew = !isWaiting || isSmaller || this.waitingSince === undefined;
    if (isNew) this.waitingSince = isWaiting ? now : undefined;
    this.mostWaiting = isNew ? waiting : Math.max(this.mostWaiting, waiting);
  }

  private begin(holding: 'cause' | 'all', now: number): void {
    for (const account of [this.newcomers, ...this.accounts.values()]) account.usedUntil = this.virtual;
    if (this.holding === 'none') this.heldSince = now;
    this.holding = holding;
    this.begunAt = now;
    if (holding === 'all') this.refusedAt = now;
    this.capacity.begin(now, this.all.cost / (this.weight * WINDOW_SECONDS));
  }

  private levelFor(acceptable: number): number {
    // Most of what has begun with the waiting is not yet in the faded sums.
    const begun = 1 - 2 ** ((this.heldSince - this.measuredAt) / HALF_LIFE_MS);
    this.correction = 1 / Math.max(1 / MOST_CORRECTION, begun);
    const demands: number[] = [];
    let [sum, sharing] = [0, 0];
    for (const account of [this.newcomers, ...this.accounts.values()]) {
      if (account.asked < (account === this.newcomers ? 1 : SHARING) * this.weight) continue;
      const demand = this.demandOf(account);
      demands.push(demand * this.correction);
      sum += demand;
      sharing++;
    }
    this.averageDemand = sum / Math.max(1, sharing);
    this.sharing = sharing;
    return fairLevel(demands, acceptable);
  }

  /** Whether a party is held to the level: not if it asks for less than an equal part of what was served before. */
  private isHeld(account: Account): boolean {
    const { known } = this.capacity;
    const together = this.demandOf(account) * this.sharing;
    if (this.holding === 'all') return together * this.correction > Math.max(known, this.least);
    // After a start all are seen for the first time.
    if (account === this.newcomers) return false;
    return together > Math.max(known, LEAST_CAPACITY) && this.asksClearlyMore(account);
  }

  private demandOf(account: Account): number {
    return (account.asked * this.meanCost(account)) / (this.weight * WINDOW_SECONDS);
  }

  /** Whether a party asks for clearly more than the others on average. Never, if there are no others. */
  private asksClearlyMore(account: Account): boolean {
    if (this.sharing < 2 || account.asked < LEAST_OF_CAUSE * this.weight) return false;
    const demand = this.demandOf(account);
    const others = Math.max(0, this.averageDemand * this.sharing - demand) / (this.sharing - 1);
    return demand > CLEARLY_MORE * others;
  }

  /** What a request of a party costs on average, in milliseconds; of one that has ended none yet, as of all. */
  private meanCost({ cost, ended }: Account): number {
    if (ended > 0) return Math.max(REQUEST_MS, cost / ended);
    return this.all.ended > 0 ? Math.max(REQUEST_MS, this.all.cost / this.all.ended) : REQUEST_MS;
  }

  private add(account: Account, ms: number): void {
    account.cost += ms * this.weight;
    this.all.cost += ms * this.weight;
    this.capacity.finish(ms);
  }

  private virtualTime(): number {
    return this.isHolding ? this.virtual + (this.level * (this.now() - this.measuredAt)) / 1000 : this.virtual;
  }

  /**
   * Opens an account for a party's second request and all that follow. If there are too many, the first in line makes room unless its
   * party still shares; then it is the last: parties that come once, of however many networks, keep nobody out.
   */
  private open(party: string): void {
    const [first] = this.accounts.size < MOST_PARTIES ? [] : this.accounts;
    if (first) this.accounts.delete(first[0]);
    if (first && first[1].asked + first[1].ended >= SHARING * this.weight) this.accounts.set(...first);
    else this.accounts.set(party, newAccount(this.virtual));
  }

  /** Lets the accounts fade, and closes those of parties that have not been seen for long. */
  private fade(now: number): void {
    this.weight = 2 ** ((now - this.weightSince) / HALF_LIFE_MS);
    if (this.weight < 2 ** FORGOTTEN) return;
    for (const account of [this.all, this.newcomers, ...this.accounts.values()]) {
      account.cost /= this.weight;
      account.ended /= this.weight;
      account.asked /= this.weight;
    }
    for (const [party, { asked, ended }] of this.accounts)
      if (asked + ended < 2 ** -FORGOTTEN) this.accounts.delete(party);
    this.weight = 1;
    this.weightSince = now;
  }
}

const newAccount = (usedUntil: number): Account => ({ cost: 0, ended: 0, asked: 0, usedUntil });

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
/** Minimum part of the rate that is accepted after that: a waiting time that does not fall although less is accepted has another cause. */
const LEAST_SHARE = 0.5;
/** Factor per measurement by which the known rate is reduced if even that part is too much. */
const DECAY = 0.95;

/**
 * Estimates how much can be served: as much as is finished, a little more or less while the waiting time is below or above its
 * target. The unit is a millisecond of work per second.
 */
class CapacityEstimate {
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
