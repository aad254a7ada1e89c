import { BoundedQueue, isLockTimeout, OverloadedError } from '@platform/database';
import { untraced } from '@platform/tracing';

/** How often a batch is retried without the customers whose accounts are locked. */
const ATTEMPTS = 3;
const LOCKED = Symbol('locked');

/** How a batch meets a locked account: it gives up soon, for its other customers, or is one customer's and waits. */
export type LockWait = 'brief' | 'patient';

/**
 * Executes a batch, all or nothing, and returns the results in the same order. A patient one waits for locks on a
 * connection that no other needs.
 */
export type RunBatch<Item, Result> = (batch: Item[], wait: LockWait) => Promise<Result[]>;

/**
 * Batches operations of one kind on the accounts of many customers, sorted by customer. If an account is locked, the
 * batch goes on without that customer, whose operations wait in batches of their own: a locked account delays its own
 * customer only.
 */
export class AccountBatcher<Item extends { customerId: string }, Result> implements Batcher<Item, Result> {
  private readonly batches: MicroBatcher<Item, Result | typeof LOCKED>;
  private readonly patient: CustomerBatchers<Item, Result | typeof LOCKED>;

  constructor(
    private readonly run: RunBatch<Item, Result>,
    private readonly locked: LockedAccounts,
    options: Pick<BatcherOptions<Item, Result>, 'size' | 'concurrency' | 'failsAll'>,
  ) {
    const compare = byCustomer<Item>;
    this.batches = new MicroBatcher({ ...options, compare, run: (batch) => this.runUnlocked(batch) });
    this.patient = new CustomerBatchers((customerId) => {
      const run = (batch: Item[]) => this.locked.turn(customerId, () => this.runPatiently(batch));
      return new MicroBatcher({ ...options, compare, concurrency: 1, run });
    });
  }

  /** Executes an operation in a batch with others. @throws DatabaseUnavailableError; OverloadedError if the account stays locked */
  async do(item: Item): Promise<Result> {
    const until = this.locked.deadline();
    if (!this.locked.has(item.customerId)) {
      const result = await this.batches.do(item);
      if (result !== LOCKED) return result;
    }
    return this.locked.whileWaiting(item.customerId, () => this.doPatiently(item, until));
  }

  private async doPatiently(item: Item, until: number): Promise<Result> {
    do {
      const result = await this.patient.do(item);
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
    const results: (Result | typeof LOCKED)[] = batch.map(() => LOCKED);
    let places = batch.map((_, place) => place);
    for (let attempt = 1; places.length > 0; attempt++) {
      const items = places.map((place) => batch[place] as Item);
      try {
        const done = await this.run(items, 'brief');
        places.forEach((place, index) => (results[place] = done[index] as Result));
        break;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
      const customers = customersOf(items).ids;
      if (attempt === ATTEMPTS || customers.length === 1) break;
      const locked = await this.locked.among(customers);
      places = places.filter((place) => !locked.has((batch[place] as Item).customerId));
    }
    return results;
  }
}

function byCustomer<Item extends { customerId: string }>(a: Item, b: Item): number {
  return a.customerId < b.customerId ? -1 : Number(a.customerId > b.customerId);
}

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
 * customer. Operations on them wait in the lock's own queue, where nobody is overtaken, each customer with one
 * statement at a time.
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

/** Executes operations, each in a batch with others. */
export interface Batcher<Item, Result> {
  do(item: Item): Promise<Result>;
}

/** A batcher for each customer. Customers without an operation in progress take no memory. */
export class CustomerBatchers<Item extends { customerId: string }, Result> implements Batcher<Item, Result> {
  private readonly batchers = new Map<string, { batcher: Batcher<Item, Result>; inProgress: number }>();

  constructor(private readonly create: (customerId: string) => Batcher<Item, Result>) {}

  /** Executes an operation in a batch with others of its customer. */
  async do(item: Item): Promise<Result> {
    const { customerId } = item;
    const own = this.batchers.get(customerId) ?? { batcher: this.create(customerId), inProgress: 0 };
    this.batchers.set(customerId, own);
    own.inProgress++;
    try {
      return await own.batcher.do(item);
    } finally {
      if (--own.inProgress === 0) this.batchers.delete(customerId);
    }
  }
}

/** An item with the promise of its caller. */
interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface BatcherOptions<Item, Result> {
  /** Executes a batch and returns the results in the same order. All or nothing: after a failure nothing was done. */
  run: (items: Item[]) => Promise<Result[]>;
  /** Order of the items in a batch. Batches in one order cannot deadlock. */
  compare: (a: Item, b: Item) => number;
  /** Maximum number of items per batch. */
  size: number;
  /** Maximum number of concurrent batches. A second batch starts only when it is full. */
  concurrency: number;
  /**
   * Whether a failure would hit every item alike, such as an unavailable database. Such a batch is not retried item by
   * item.
   */
  failsAll: (error: unknown) => boolean;
}

/**
 * Collects the items of one turn of the event loop, and those that arrive during a batch, into one batch. Under load
 * many items share a round trip and a commit; a single item waits only for the end of its turn. Two half-full batches
 * cost the database more than one full batch, so a second one starts only when it is full.
 */
export class MicroBatcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;
  private startsSoon = false;

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  /** Executes an item, possibly in a batch with others. */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.startSoon();
    });
  }

  private startSoon(): void {
    if (this.startsSoon) return;
    this.startsSoon = true;
    // A batch belongs to none of its callers' traces: each shows how long it waited for its result.
    untraced(() =>
      setImmediate(() => {
        this.startsSoon = false;
        while (this.mayStart()) this.start();
      }),
    );
  }

  private mayStart(): boolean {
    const { size, concurrency } = this.options;
    if (this.running === 0) return this.waiting.length > 0;
    return this.running < concurrency && this.waiting.length >= size;
  }

  private start(): void {
    const { size, compare } = this.options;
    const batch = this.waiting.splice(0, size).sort((a, b) => compare(a.item, b.item));
    this.running++;
    void this.runBatch(batch).finally(() => {
      this.running--;
      this.startSoon();
    });
  }

  private async runBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length === 1 || this.options.failsAll(error)) return batch.forEach(({ reject }) => reject(error));
      // A faulty item must not fail the others.
      for (const one of batch) await this.runBatch([one]);
    }
  }
}

/** The customers of a batch that is sorted by customer. Positions count from 1. */
export interface Customers {
  /** Distinct and sorted. */
  ids: string[];
  /** Position of each customer's first item in the batch. */
  first: number[];
  /** Position of each customer's last item in the batch. */
  last: number[];
  /** For each item, the position of its customer in `ids`. */
  owner: number[];
}

export function customersOf(batch: readonly { customerId: string }[]): Customers {
  const customers: Customers = { ids: [], first: [], last: [], owner: [] };
  batch.forEach(({ customerId }, index) => {
    if (customers.ids.at(-1) !== customerId) {
      customers.ids.push(customerId);
      customers.first.push(index + 1);
      customers.last.push(index + 1);
    }
    customers.last[customers.last.length - 1] = index + 1;
    customers.owner.push(customers.ids.length);
  });
  return customers;
}
