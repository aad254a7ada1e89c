import { LinkedList, type ListEntry } from '@platform/collections';

/** Whether a party got what it asked for; if not, whether its own share is used up, or all that there is. */
export type Grant = 'granted' | 'share_used' | 'all_used';

/**
 * Shares something that is held for a while, such as connections or memory, among parties: customers, or network addresses
 * before a customer is known. A party may hold as much as is still free: alone it gets half, two get a third each, and there is
 * always room for the next one ("dynamic threshold": Choudhury and Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches, 1998). See `docs/decisions/fairness.md`.
 */
export class HeldShares {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  /** @param capacity how much all parties together may hold */
  constructor(private readonly capacity: number) {}

  /** How much is held by all. */
  get total(): number {
    return this.held;
  }

  /** The number of parties that hold something. */
  get parties(): number {
    return this.heldBy.size;
  }

  /** How much a party holds. */
  amountOf(party: string): number {
    return this.heldBy.get(party) ?? 0;
  }

  /** Whether a party would get an amount. @param party undefined for work of the service itself, which has no share of its own */
  check(party: string | undefined, amount = 1): Grant {
    const free = this.capacity - this.held;
    if (amount > free) return 'all_used';
    return party !== undefined && this.amountOf(party) + amount > free ? 'share_used' : 'granted';
  }

  /** Takes an amount if {@link check} grants it. */
  take(party: string | undefined, amount = 1): Grant {
    const grant = this.check(party, amount);
    if (grant !== 'granted') return grant;
    this.held += amount;
    if (party !== undefined) this.heldBy.set(party, this.amountOf(party) + amount);
    return grant;
  }

  /** Takes an amount that cannot be refused any more. Further ones are, until enough was given back. */
  force(party: string | undefined, amount = 1): void {
    this.held += amount;
    if (party !== undefined) this.heldBy.set(party, this.amountOf(party) + amount);
  }

  /** Gives back an amount that the party took. */
  give(party: string | undefined, amount = 1): void {
    this.held -= amount;
    if (party === undefined) return;
    const left = this.amountOf(party) - amount;
    if (left > 0) this.heldBy.set(party, left);
    else this.heldBy.delete(party);
  }
}

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
  private readonly waiting = new Map<string | undefined, LinkedList<() => void>>();

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
    const calls = this.waiting.get(caller) ?? new LinkedList();
    this.waiting.set(caller, calls);
    const place = calls.add(free);
    return () => this.leave(caller, place);
  }

  /** Frees a slot. Calls that wait begin as far as their callers' shares allow, one of each caller in turn. */
  release(caller: string | undefined): void {
    this.running.give(caller);
    for (let call = this.next(); call; call = this.next()) call();
  }

  /** Takes a slot for the first waiting call of the first caller that may have one; that caller's turn comes last then. */
  private next(): (() => void) | undefined {
    for (const [caller, calls] of this.waiting) {
      const place = calls.oldest;
      if (!place || !this.take(caller)) continue;
      this.leave(caller, place);
      if (this.waiting.delete(caller)) this.waiting.set(caller, calls);
      return place.value;
    }
    return undefined;
  }

  private leave(caller: string | undefined, place: ListEntry<() => void>): void {
    if (!place.remove()) return;
    this.places.give(caller);
    if (this.waiting.get(caller)?.size === 0) this.waiting.delete(caller);
  }
}
