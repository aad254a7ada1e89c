import type { EntityManager } from 'typeorm';
import { ServiceError } from '@platform/errors';

/**
 * Has the operator's changes that concern several of a customer's rows follow one another, until the transaction ends. Taken
 * before every other lock of theirs, so that none waits for one that waits for it. Calls of the customer's take no notice.
 * @throws ServiceError not_found for an unknown customer
 */
export async function lockCustomer(manager: EntityManager, customerId: string): Promise<void> {
  // Not "for update", for which every row that refers to the customer would have to wait.
  const rows = await manager.query<unknown[]>('select from customer where id = $1 for no key update', [customerId]);
  if (rows.length === 0) throw new ServiceError('not_found', `There is no customer ${customerId}`);
}
