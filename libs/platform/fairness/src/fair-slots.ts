import { HeldShares } from './held-shares';

/** Why work may not even wait: its party's share is used up, or everything is. */
export type Refusal = 'share_used' | 'busy';

/**
 * Bounds work that is under way at once, such as calls to an upstream, and shares it among its callers: one that makes many calls leaves
 * room for the others. Calls beyond the bound or the share wait in a bounded queue, which serves its callers in turn.
 */
export class FairSlots {
  private readonly running: HeldShares;
  private readonly places: HeldShares;
  /** The waiting calls by caller, the caller whose turn is next first. */
  private readonly waiting = new Map<string | undefined, Set<() => void>>();

  /** @param most concurrent calls @param mostWaiting calls that wait for their turn */
  constructor(most: number, mostWaiting: number) {
    this.running = new HeldShares(most);
    this.places = new HeldShares(mostWaiting);
  }

  /** Takes a free slot, if the caller may have one. @param caller undefined for work of the service itself */
  take(caller: string | undefined): boolean {
    return this.running.take(caller) === 'granted';
  }

  /** Why a call that got no slot may not wait for one either; undefined if it may. */
  refusal(caller: string | undefined): Refusal | undefined {
    const place = this.places.check(caller);
    if (place === 'granted') return undefined;
    return place === 'share_used' || this.running.check(caller) === 'share_used' ? 'share_used' : 'busy';
  }

  /** Waits for a slot, which is taken when `free` is called. @returns leaves the queue */
  queue(caller: string | undefined, free: () => void): () => void {
    this.places.take(caller);
    const calls = this.waiting.get(caller) ?? new Set();
    this.waiting.set(caller, calls.add(free));
    return () => this.leave(caller, free);
  }

  /** Frees a slot. Calls that wait begin as far as their callers' shares allow, one of each caller in turn. */
  release(caller: string | undefined): void {
    this.running.give(caller);
    for (let call = this.next(); call; call = this.next()) call();
  }

  /** Takes a slot for the first waiting call of the first caller that may have one; that caller's turn comes last then. */
  private next(): (() => void) | undefined {
    for (const [caller, calls] of this.waiting) {
      const [call] = calls;
      if (!call || !this.take(caller)) continue;
      this.leave(caller, call);
      if (this.waiting.delete(caller)) this.waiting.set(caller, calls);
      return call;
    }
    return undefined;
  }

  private leave(caller: string | undefined, free: () => void): void {
    const calls = this.waiting.get(caller);
    if (!calls?.delete(free)) return;
    this.places.give(caller);
    if (calls.size === 0) this.waiting.delete(caller);
  }
}
