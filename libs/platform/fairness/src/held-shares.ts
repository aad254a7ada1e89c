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
  force(party: string, amount: number): void {
    this.held += amount;
    this.heldBy.set(party, this.amountOf(party) + amount);
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
