import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditService } from '@platform/audit';
import { Customer } from '../entities/customer.entity';

/** A new customer. Without a customer number, it gets the next free one. */
export type NewCustomer = Pick<Customer, 'name' | 'organizationNumber' | 'email'> & { customerNumber?: string };

/** Adds a customer within the caller's transaction, with its audit entry. */
export async function insertCustomer(
  manager: EntityManager,
  audit: AuditService,
  actor: string,
  { customerNumber, ...customer }: NewCustomer,
): Promise<Customer> {
  const id = randomUUID();
  const number = customerNumber ?? (await nextCustomerNumber(manager));
  const { name, organizationNumber, email } = customer;
  await manager.insert(Customer, { id, name, organizationNumber, email, customerNumber: number });
  const metadata = { name, customer_number: number };
  await audit.record(manager, { customerId: id, actor, action: 'customer.create', metadata });
  return manager.findOneByOrFail(Customer, { id });
}

/** Numbers that the operator chose are passed over. */
async function nextCustomerNumber(manager: EntityManager): Promise<string> {
  for (;;) {
    const [row] = await manager.query<{ number: string }[]>(`select nextval('customer_number_seq')::text as number`);
    if (!row) throw new Error('The sequence returned no number');
    if (!(await manager.existsBy(Customer, { customerNumber: row.number }))) return row.number;
  }
}
