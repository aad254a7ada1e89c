import { BoundedQueue, isLockTimeout, OverloadedError } from '@platform/database';
import type { LockWait } from './ledger-statements';
import { type Batcher, type BatcherOptions, CustomerBatchers, MicroBatcher } from './micro-batcher';

/** How often a batch is retried without the customers whose accounts are locked. */
const ATTEMPTS = 3;
const LOCKED = Symbol('locked');

/**
 * Executes a batch, all or nothing, and returns the results in the same order. A patient one waits for locks on a
 * connection that no other needs.
 */
export type RunBatch<Item, Result> = (batch: Item[], wait: LockWait) => Promise<Result[]>;

/** How many operations a batch has, how many batches run at a time, and which operations need more than their account. */
export interface AccountBatcherOptions<Item, Result> extends Pick<
  BatcherOptions<Item, Result>,
  'size' | 'concurrency' | 'failsAll'
> {
  /** Whether an operation may wait for a lock other than its account's. */
  locksMore?: (item: Item) => boolean;
}

/**
 * Batches operations of one kind on the accounts of many customers, sorted by customer. If an account is locked, the
 * batch goes on without that customer, whose operations wait in batches of their own: a locked account delays its own
 * customer only. If no account is locked, it goes on without the operations that may have waited for something else.
 */
export class AccountBatcher<Item extends { customerId: string }, Result> implements Batcher<Item, Result> {
  private readonly batches: MicroBatcher<Item, Result | typeof LOCKED>;
  private readonly patient: CustomerBatchers<Item, Result | typeof LOCKED>;

  constructor(
    private readonly run: RunBatch<Item, Result>,
    private readonly locked: LockedAccounts,
    private readonly options: AccountBatcherOptions<Item, Result>,
  ) {
    const compare = byCustomer<Item>;
    this.batches = new MicroBatcher({ ...options, compare, run: (batch) => this.runUnlocked(batch) });
    this.patient = new CustomerBatchers((customerId) => {
      const run = (batch: Item[]) => this.locked.waitInTurn(customerId, () => this.runPatiently(batch));
      return new MicroBatcher({ ...options, compare, concurrency: 1, run });
    });
  }

  /** Executes an operation in a batch with others. @throws DatabaseUnavailableError; OverloadedError if the account stays locked */
  async execute(item: Item): Promise<Result> {
    const begunAt = performance.now();
    if (!this.locked.isAwaited(item.customerId)) {
      const result = await this.batches.execute(item);
      if (result !== LOCKED) return result;
    }
    return this.locked.whileWaiting(item.customerId, () => this.executePatiently(item, this.locked.deadline(begunAt)));
  }

  private async executePatiently(item: Item, until: number): Promise<Result> {
    do {
      const result = await this.patient.execute(item);
      if (result !== LOCKED) return result;
    } while (performance.now() < until);
    throw new OverloadedError(new Error(`The account of ${item.customerId} is locked`));
  }

  private async runPatiently(batch: Item[]): Promise<(Result | typeof LOCKED)[]> {
    try {
      return await this.run(batch, 'patient');
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      return batch.map(() => LOCKED);
    }
  }

  private async runUnlocked(batch: Item[]): Promise<(Result | typeof LOCKED)[]> {
    const results = Array<Result | typeof LOCKED>(batch.length).fill(LOCKED);
    let places = [...batch.keys()];
    for (let attempt = 1; places.length > 0; attempt++) {
      const items = places.length === batch.length ? batch : places.map((place) => batch[place] as Item);
      try {
        const done = await this.run(items, 'brief');
        for (const [index, place] of places.entries()) results[place] = done[index] as Result;
        break;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
      const customers = [...new Set(items.map(({ customerId }) => customerId))];
      if (attempt === ATTEMPTS || customers.length === 1) break;
      const locked = await this.locked.findLocked(customers);
      const { locksMore = () => false } = this.options;
      const stays = (item: Item) => (locked.size > 0 ? !locked.has(item.customerId) : !locksMore(item));
      places = places.filter((place) => stays(batch[place] as Item));
    }
    return results;
  }
}

function byCustomer<Item extends { customerId: string }>(a: Item, b: Item): number {
  return a.customerId < b.customerId ? -1 : Number(a.customerId > b.customerId);
}

export interface LockedAccountsOptions {
  /** Returns the customers among these whose accounts are not locked, without waiting for the others. */
  unlocked: (customerIds: string[]) => Promise<string[]>;
  /** Number of connections on which statements may wait for locks. */
  connections: number;
  /** Longest time that an operation waits for a locked account, in milliseconds. */
  patienceMs: number;
}

/**
 * Accounts that others keep locked: for long, or again and again, as many replicas do with the account of one busy
 * customer. Operations on them wait in the lock's own queue, where nobody is overtaken, each customer with one
 * statement at a time.
 */
export class LockedAccounts {
  private readonly queue: BoundedQueue;
  /** Number of waiting operations by customer. */
  private readonly waiting = new Map<string, number>();

  constructor(private readonly options: LockedAccountsOptions) {
    const { connections, patienceMs } = options;
    this.queue = new BoundedQueue({ places: connections, placesPerCustomer: 1, patienceMs });
  }

  /** The end of a wait that began then, in terms of `performance.now()`. */
  deadline(begunAt: number): number {
    return begunAt + this.options.patienceMs;
  }

  /** Whether operations wait for this customer's account. */
  isAwaited(customerId: string): boolean {
    return this.waiting.has(customerId);
  }

  /** The customers among these whose accounts are locked now. */
  async findLocked(customerIds: string[]): Promise<Set<string>> {
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

  /** Runs a statement that may wait for its customer's lock, once there is a connection for it. @throws OverloadedError */
  waitInTurn<T>(customerId: string, statement: () => Promise<T>): Promise<T> {
    return this.queue.run(customerId, statement);
  }
}
