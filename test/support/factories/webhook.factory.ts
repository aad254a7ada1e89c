import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { timedId } from '../timed-id';

/** Saves a webhook endpoint, whose secret nobody knows. */
export async function saveFakeEndpoint(
  client: Client,
  customerId: string,
  { createdAt = new Date(), url = 'https://hooks.example.com/' }: { createdAt?: Date; url?: string } = {},
): Promise<string> {
  const id = randomUUID();
  await client.query(
    `insert into webhook_endpoint (customer_id, id, url, scopes, secret_ciphertext, created_at, updated_at)
     values ($1, $2, $3, '{}', '\\x00', $4, $4)`,
    [customerId, id, url, createdAt],
  );
  return id;
}

/** Saves a delivery with its endpoint; it has failed unless another state is given. */
export async function saveFakeDelivery(
  client: Client,
  customerId: string,
  {
    createdAt = new Date(),
    endpointId,
    state = 'failed',
    eventType = 'ticket.replied',
  }: { createdAt?: Date; endpointId?: string; state?: string; eventType?: string } = {},
): Promise<{ endpointId: string; deliveryId: string }> {
  const endpoint = endpointId ?? (await saveFakeEndpoint(client, customerId));
  const { rows } = await client.query<{ id: string }>(
    `insert into webhook_delivery
       (customer_id, id, endpoint_id, event_customer_id, event_id, event_type, state, attempts, queued_at, last_attempt_at, created_at)
     values ($1, $2, $3, $1, $4, $7, $6, 11, $5, $5, $5)
     returning id`,
    [customerId, timedId(createdAt), endpoint, randomUUID(), createdAt, state, eventType],
  );
  return { endpointId: endpoint, deliveryId: rows[0]?.id ?? '' };
}
