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
