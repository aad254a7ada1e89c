import type { EntityManager } from 'typeorm';
import { ServiceError } from '@platform/errors';
import { Customer } from '../entities/customer.entity';

/**
 * Serialises the operator's changes that concern several rows of a customer, until the transaction ends. Taken before
 * all other locks, so that changes cannot deadlock. Does not block the customer's own calls.
 * @throws ServiceError not_found for an unknown customer, invalid_request for an erased one
 */
export async function lockCustomer(manager: EntityManager, customerId: string): Promise<void> {
  // Not "for update": inserting any row that refers to the customer would have to wait.
  const [row] = await manager.query<{ erased: boolean }[]>(
    'select erased_at is not null as erased from customer where id = $1 for no key update',
    [customerId],
  );
  if (!row) throw unknown(customerId);
  if (row.erased) throw erasedCustomer();
}

/** @throws ServiceError not_found for an unknown customer, invalid_request for an erased one */
export async function requireCustomer(manager: EntityManager, customerId: string): Promise<void> {
  const customer = await manager.findOneBy(Customer, { id: customerId });
  if (!customer) throw unknown(customerId);
  if (customer.erasedAt) throw erasedCustomer();
}

function unknown(customerId: string): ServiceError {
  return new ServiceError('not_found', `There is no customer ${customerId}`);
}

/** Nothing is written for an erased customer any more: it would be personal again. */
export function erasedCustomer(): ServiceError {
  return new ServiceError('invalid_request', 'The customer was erased');
}
