import { prepared } from '@app/database';

// Arrays over many customers; first and last are each customer's slice of them. One PostgreSQL takes the whole batch in
// one statement, which calls the function once per customer in the order given.
const SLICES = 'unnest($1::uuid[], $2::integer[], $3::integer[]) as c (customer, first, last)';

export const HOLD = prepared(
  'ai.hold',
  `select r.* from ${SLICES}, lateral app.ai_hold(
     c.customer, $4, $5, $6, $7, ($8::uuid[])[c.first:c.last], ($9::integer[])[c.first:c.last], ($10::text[])[c.first:c.last],
     ($11::integer[])[c.first:c.last], ($12::integer[])[c.first:c.last], ($13::boolean[])[c.first:c.last],
     ($14::text[])[c.first:c.last], ($15::uuid[])[c.first:c.last]) r`,
);

export const SETTLE = prepared(
  'ai.settle',
  `select r.* from ${SLICES}, lateral app.ai_settle(
     c.customer, $4, $5, $6, ($7::uuid[])[c.first:c.last], ($8::uuid[])[c.first:c.last], ($9::integer[])[c.first:c.last],
     ($10::integer[])[c.first:c.last], ($11::integer[])[c.first:c.last], ($12::integer[])[c.first:c.last],
     ($13::integer[])[c.first:c.last], ($14::text[])[c.first:c.last]) r`,
);

export const RELEASE = prepared(
  'ai.release',
  `select r.* from ${SLICES}, lateral app.ai_release(
     c.customer, $4, ($5::uuid[])[c.first:c.last], ($6::text[])[c.first:c.last]) r`,
);

/** The customers of a batch that is sorted by customer, each with the first and the last place of its items (from 1). */
export function slicesOf(
  batch: readonly { customerId: string }[],
): [customers: string[], first: number[], last: number[]] {
  const customers: string[] = [];
  const first: number[] = [];
  const last: number[] = [];
  batch.forEach(({ customerId }, index) => {
    if (customers.at(-1) !== customerId) {
      customers.push(customerId);
      first.push(index + 1);
      last.push(index + 1);
    } else {
      last[last.length - 1] = index + 1;
    }
  });
  return [customers, first, last];
}
