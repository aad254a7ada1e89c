import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { generateToken, hashToken, type Scope, SCOPES } from '@platform/tokens';

/** Options of a token. By default it has every scope and never expires. */
export interface FakeToken {
  name?: string | null;
  scopes?: Scope[];
  active?: boolean;
  expiresAt?: Date;
}

export async function saveFakeToken(client: Client, customerId: string, fake: FakeToken = {}) {
  const token = generateToken();
  const id = randomUUID();
  const { name = null, scopes = Object.keys(SCOPES) as Scope[], active = true, expiresAt = null } = fake;
  await client.query(
    `insert into service_token (id, customer_id, token_hash, name, scopes, active, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, customerId, hashToken(token), name, scopes, active, expiresAt],
  );
  return { id, token, customerId };
}
