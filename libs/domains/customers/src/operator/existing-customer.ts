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
  if (!row) throw unknownCustomer(customerId);
  if (row.erased) throw erasedCustomer();
}

/**
 * For what only reads: a customer may be erased right behind it.
 * @throws ServiceError not_found for an unknown customer, invalid_request for an erased one
 */
export async function requireCustomer(manager: EntityManager, customerId: string): Promise<void> {
  const customer = await manager.findOneBy(Customer, { id: customerId });
  if (!customer) throw unknownCustomer(customerId);
  if (customer.erasedAt) throw erasedCustomer();
}

/** The error for a customer that does not exist. @param reference its id, number or name as it was given */
export function unknownCustomer(reference: string): ServiceError {
  return new ServiceError('not_found', `There is no customer ${reference}`);
}

/** The error for an erased customer. Nothing is written for it: the data would be personal again. */
function erasedCustomer(): ServiceError {
  return new ServiceError('invalid_request', 'The customer was erased');
}
