import type { CustomerLookupOperatorService } from '@domains/customers';
import type { ServiceCommand } from '../commands/command';
import type { Row } from './print-table';

/** Adds customers' numbers and names to rows, if the command's table has them: people know no ids. */
export async function withCustomerNames(
  rows: Row[],
  { columns }: ServiceCommand,
  customers: CustomerLookupOperatorService,
): Promise<Row[]> {
  if (!columns?.includes('customer')) return rows;
  const ids = new Set(rows.map((row) => String(row.customer_id)));
  const known = await customers.namesOf([...ids]);
  return rows.map((row) => {
    const customer = known.get(String(row.customer_id));
    return { ...row, customer_number: customer?.customerNumber ?? null, customer: customer?.name ?? null };
  });
}
