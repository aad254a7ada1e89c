import type { EntityManager } from 'typeorm';

/** The PostgreSQL channel that carries ids of customers of whom something changed that a token's look-up tells. */
export const TOKEN_CHANGES = 'service_token_changes';

/**
 * Announces, when the transaction commits, that what replicas remember of the customer's tokens no longer holds. Every
 * change of a token, of the customer's active flag, of its limits or of whether AI is enabled must announce itself.
 */
export async function announceTokenChange(manager: EntityManager, customerId: string): Promise<void> {
  await manager.query('select pg_notify($1, $2)', [TOKEN_CHANGES, customerId]);
}
