import type { EntityManager } from 'typeorm';
import { ServiceError } from '@platform/errors';
import { Customer } from '../entities/customer.entity';

/**
 * Serialises the operator's changes that concern several rows of a customer, until the transaction ends. Taken before
 * all other locks, so that changes cannot deadlock. Does not block the customer's own calls.
 * @throws ServiceError not_found for an unknown customer
 */
export async function lockCustomer(manager: EntityManager, customerId: string): Promise<void> {
  // Not "for update": inserting any row that refers to the customer would have to wait.
  const rows = await manager.query<unknown[]>('select from customer where id = $1 for no key update', [customerId]);
  if (rows.length === 0) throw unknown(customerId);
}

/** @throws ServiceError not_found for an unknown customer */
export async function requireCustomer(manager: EntityManager, customerId: string): Promise<void> {
  if (!(await manager.existsBy(Customer, { id: customerId }))) throw unknown(customerId);
}

function unknown(customerId: string): ServiceError {
  return new ServiceError('not_found', `There is no customer ${customerId}`);
}
