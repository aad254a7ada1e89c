import { BoundedQueue } from '@platform/database';

/** Returns the customers whose accounts are not locked, without waiting for the others. */
export type UnlockedAccounts = (customerIds: string[]) => Promise<string[]>;

export interface LockedAccountsOptions {
  unlocked: UnlockedAccounts;
  /** Number of connections on which statements may wait for locks. */
  connections: number;
  /** Longest time that an operation waits for a locked account, in milliseconds. */
  patienceMs: number;
}

/**
 * Accounts that others keep locked: for long, or again and again, as many replicas do with the account of one busy
 * customer. Operations on them wait in the lock's own queue, the only place where everybody gets a turn, each customer
 * with one statement at a time.
 */
export class LockedAccounts {
  private readonly turns: BoundedQueue;
  /** Number of waiting operations by customer. */
  private readonly waiting = new Map<string, number>();

  constructor(private readonly options: LockedAccountsOptions) {
    const { connections, patienceMs } = options;
    this.turns = new BoundedQueue({ places: connections, placesPerCustomer: 1, patienceMs });
  }

  /** The end of a wait that begins now, in terms of `performance.now()`. */
  deadline(): number {
    return performance.now() + this.options.patienceMs;
  }

  /** Whether operations of a customer are waiting. */
  has(customerId: string): boolean {
    return this.waiting.has(customerId);
  }

  /** Which of these accounts are locked now. */
  async among(customerIds: string[]): Promise<Set<string>> {
    const unlocked = new Set(await this.options.unlocked(customerIds));
    return new Set(customerIds.filter((id) => !unlocked.has(id)));
  }

  /** Counts an operation of a customer as waiting until it is done. */
  async whileWaiting<T>(customerId: string, operation: () => Promise<T>): Promise<T> {
    this.waiting.set(customerId, (this.waiting.get(customerId) ?? 0) + 1);
    try {
      return await operation();
    } finally {
      const left = (this.waiting.get(customerId) ?? 1) - 1;
      if (left > 0) this.waiting.set(customerId, left);
      else this.waiting.delete(customerId);
    }
  }

  /** Runs a statement that may wait for its customer's lock when there is a connection. @throws OverloadedError */
  turn<T>(customerId: string, statement: () => Promise<T>): Promise<T> {
    return this.turns.run(customerId, statement);
  }
}
