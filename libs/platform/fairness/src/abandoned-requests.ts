/** What a party did fades with this half-life, in milliseconds. */
const HALF_LIFE_MS = 2000;
/** Faded number of abandoned requests above which they may be too many: that of some ten a second. */
const MOST = 32;
/** Parties that are remembered. */
const MOST_PARTIES = 20_000;

/** What a party did lately. */
interface Recent {
  /** Faded numbers of its requests that have ended, and of those that it abandoned. */
  ended: number;
  abandoned: number;
  /** When they were added up. */
  at: number;
}

/**
 * Counts requests that their parties abandon. Who waits for its answers asks no faster than it gets them; who does not can ask as fast
 * as it can send, and what it asked for is done all the same.
 */
export class AbandonedRequests {
  /** The one that was seen last comes last. */
  private readonly parties = new Map<string, Recent>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Counts a request that has ended, with its client or without it. Requests that were refused do not count. */
  count(party: string, isAbandoned: boolean): void {
    let recent = this.parties.get(party);
    // Nearly all parties abandon nothing.
    if (!recent && !isAbandoned) return;
    this.parties.delete(party);
    if (!recent) {
      recent = { ended: 0, abandoned: 0, at: this.now() };
      if (this.parties.size >= MOST_PARTIES) this.parties.delete(this.parties.keys().next().value as string);
    }
    this.parties.set(party, this.fade(recent));
    recent.ended++;
    if (isAbandoned) recent.abandoned++;
  }

  /** Whether a party lately abandoned most of its requests, and more than ten a second. */
  areMostOf(party: string): boolean {
    const recent = this.parties.get(party);
    if (!recent) return false;
    const { abandoned, ended } = this.fade(recent);
    return abandoned > MOST && abandoned > ended / 2;
  }

  private fade(recent: Recent): Recent {
    const now = this.now();
    const left = 2 ** ((recent.at - now) / HALF_LIFE_MS);
    recent.ended *= left;
    recent.abandoned *= left;
    recent.at = now;
    return recent;
  }
}
