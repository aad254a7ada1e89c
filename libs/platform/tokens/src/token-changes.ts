import type { EntityManager } from 'typeorm';

/**
 * The PostgreSQL channel with ids of customers whose tokens, or the settings that a token's look-up returns, have
 * changed.
 */
export const TOKEN_CHANGES = 'service_token_changes';

/**
 * Announces, when the transaction commits, that cached tokens of the customer are no longer valid. Every change of a
 * token, of the customer's active flag, of its limits or of whether AI is enabled must call it.
 */
export async function announceTokenChange(manager: EntityManager, customerId: string): Promise<void> {
  await manager.query('select pg_notify($1, $2)', [TOKEN_CHANGES, customerId]);
}
