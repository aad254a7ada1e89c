import { isLockTimeout } from '@platform/database';
import { customersOf } from './customers-of';
import type { LockedAccounts } from './locked-accounts';
import { type BatcherOptions, MicroBatcher } from './micro-batcher';

/** How often a batch is retried without the customers whose accounts are locked. */
const ATTEMPTS = 3;
const LOCKED = Symbol('locked');

/**
 * Batches operations of one kind on the accounts of many customers, sorted by customer. If an account is locked, the
 * batch goes on without that customer, whose operations wait by themselves: a locked account delays its own customer
 * only.
 */
export class AccountBatcher<Item extends { customerId: string }, Result> {
  private readonly batches: MicroBatcher<Item, Result | typeof LOCKED>;

  /** `run` executes a batch, all or nothing, and returns the results in the same order. */
  constructor(
    private readonly run: (batch: Item[]) => Promise<Result[]>,
    private readonly locked: LockedAccounts,
    options: Pick<BatcherOptions<Item, Result>, 'size' | 'concurrency' | 'failsAll'>,
  ) {
    this.batches = new MicroBatcher<Item, Result | typeof LOCKED>({
      ...options,
      compare: byCustomer,
      run: (batch) => this.runUnlocked(batch),
    });
  }

  /** Executes an operation in a batch with others. @throws DatabaseUnavailableError also if the account stays locked */
  async do(item: Item): Promise<Result> {
    const { customerId } = item;
    const until = this.locked.deadline();
    let mustWait = this.locked.has(customerId);
    for (;;) {
      if (mustWait) await this.locked.wait(customerId, until);
      const result = await this.batches.do(item);
      if (result !== LOCKED) return result;
      mustWait = true;
    }
  }

  private async runUnlocked(batch: Item[]): Promise<(Result | typeof LOCKED)[]> {
    const results: (Result | typeof LOCKED)[] = batch.map(() => LOCKED);
    let places = batch.map((_, place) => place);
    for (let attempt = 1; places.length > 0; attempt++) {
      const items = places.map((place) => batch[place] as Item);
      try {
        const done = await this.run(items);
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

function byCustomer(a: { customerId: string }, b: { customerId: string }): number {
  return a.customerId < b.customerId ? -1 : Number(a.customerId > b.customerId);
}
