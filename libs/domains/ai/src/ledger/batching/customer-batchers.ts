/** Executes an operation, in a batch with others. */
interface Batcher<Item, Result> {
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
