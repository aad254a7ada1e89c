import { isLockTimeout, OverloadedError } from '@platform/database';
import { CustomerBatchers } from './customer-batchers';
import { customersOf } from './customers-of';
import type { LockedAccounts } from './locked-accounts';
import { type BatcherOptions, MicroBatcher } from './micro-batcher';

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
export class AccountBatcher<Item extends { customerId: string }, Result> {
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
