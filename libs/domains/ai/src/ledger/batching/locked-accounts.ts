import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailableError } from '@platform/database';

const PROBE_EVERY_MS = 50;

/** Returns the customers whose accounts are not locked, without waiting for the others. */
export type UnlockedAccounts = (customerIds: string[]) => Promise<string[]>;

interface Waiting {
  until: number;
  resolve: () => void;
  fail: (error: unknown) => void;
}

/** Accounts that another transaction keeps locked. Operations on them wait here without a connection. */
export class LockedAccounts {
  private readonly waiting = new Map<string, Waiting[]>();
  private watching = false;

  /** @param patienceMs longest time to wait */
  constructor(
    private readonly unlocked: UnlockedAccounts,
    private readonly patienceMs: number,
  ) {}

  /** Whether a customer's account is known to be locked. */
  has(customerId: string): boolean {
    return this.waiting.has(customerId);
  }

  /** Which of these accounts are locked now. */
  async among(customerIds: string[]): Promise<Set<string>> {
    const unlocked = new Set(await this.unlocked(customerIds));
    return new Set(customerIds.filter((id) => !unlocked.has(id)));
  }

  /** The end of a wait that begins now, in terms of `performance.now()`. */
  deadline(): number {
    return performance.now() + this.patienceMs;
  }

  /** Waits until an account is unlocked. @throws DatabaseUnavailableError if it is still locked at `until` */
  wait(customerId: string, until: number): Promise<void> {
    return new Promise((resolve, fail) => {
      const others = this.waiting.get(customerId) ?? [];
      others.push({ until, resolve, fail });
      this.waiting.set(customerId, others);
      if (!this.watching) void this.watch();
    });
  }

  private async watch(): Promise<void> {
    this.watching = true;
    while (this.waiting.size > 0) {
      await delay(PROBE_EVERY_MS);
      try {
        for (const customerId of await this.unlocked([...this.waiting.keys()])) {
          const those = this.waiting.get(customerId) ?? [];
          this.waiting.delete(customerId);
          for (const { resolve } of those) resolve();
        }
      } catch (error) {
        this.endAll((waiting) => waiting.fail(error));
      }
      this.endLate();
    }
    this.watching = false;
  }

  private endLate(): void {
    const now = performance.now();
    for (const [customerId, those] of this.waiting) {
      const left = those.filter(({ until }) => until > now);
      if (left.length > 0) this.waiting.set(customerId, left);
      else this.waiting.delete(customerId);
      for (const late of those.filter(({ until }) => until <= now))
        late.fail(new DatabaseUnavailableError(new Error(`The account of ${customerId} is locked`)));
    }
  }

  private endAll(end: (waiting: Waiting) => void): void {
    const all = [...this.waiting.values()].flat();
    this.waiting.clear();
    all.forEach(end);
  }
}
