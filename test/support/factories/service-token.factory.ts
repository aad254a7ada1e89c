import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { generateToken, hashToken, type Scope, SCOPES } from '@platform/tokens';

/** Options of a token. By default it has every scope and never expires. */
export interface FakeToken {
  scopes?: Scope[];
  active?: boolean;
  expiresAt?: Date;
}

export async function saveFakeToken(client: Client, customerId: string, fake: FakeToken = {}) {
  const token = generateToken();
  const id = randomUUID();
  const { scopes = Object.keys(SCOPES) as Scope[], active = true, expiresAt = null } = fake;
  await client.query(
    `insert into service_token (id, customer_id, token_hash, scopes, active, expires_at) values ($1, $2, $3, $4, $5, $6)`,
    [id, customerId, hashToken(token), scopes, active, expiresAt],
  );
  return { id, token, customerId };
}
