import { isDataRefused } from '@platform/database';
import { AccountBatcher } from '../batching/account-batcher';
import type { LockedAccounts } from '../batching/locked-accounts';

/**
 * One batch of a customer at a time: a second one would only wait for the account's lock. A failure is tried again call by
 * call only if a value was refused. After any other, a cluster may have committed on the node of the customer's rows, and a
 * second attempt would reserve twice.
 */
const BATCH = { size: 64, concurrency: 1, failsAll: (error: unknown) => !isDataRefused(error) };

/** Batches operations of one kind by customer. Customers without an operation in progress take no memory. */
export class CustomerBatchers<Item extends { customerId: string }, Result> {
  private readonly batchers = new Map<string, { batcher: AccountBatcher<Item, Result>; inProgress: number }>();

  /** `run` executes a batch of one customer, all or nothing, and returns the results in the same order. */
  constructor(
    private readonly run: (customerId: string, batch: Item[]) => Promise<Result[]>,
    private readonly locked: LockedAccounts,
  ) {}

  /** Executes an operation in a batch with others of its customer. */
  async do(item: Item): Promise<Result> {
    const { customerId } = item;
    const own = this.batchers.get(customerId) ?? { batcher: this.newBatcher(customerId), inProgress: 0 };
    this.batchers.set(customerId, own);
    own.inProgress++;
    try {
      return await own.batcher.do(item);
    } finally {
      if (--own.inProgress === 0) this.batchers.delete(customerId);
    }
  }

  private newBatcher(customerId: string): AccountBatcher<Item, Result> {
    return new AccountBatcher((batch) => this.run(customerId, batch), this.locked, BATCH);
  }
}
