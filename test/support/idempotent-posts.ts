import { randomUUID } from 'node:crypto';
import { caller as callerOf } from './api';
import { saveFakeDelivery } from './factories/webhook.factory';
import { createFullCaller, type FullApi } from './full-api';

/** A POST, and how its effects are counted. */
export interface IdempotentPost {
  name: string;
  /** The path; `TICKET`, `ENDPOINT` and `DELIVERY` stand for ids of the caller's. */
  path: string;
  /** None for a POST without a body. */
  body?: object;
  status: number;
  /** How often the customer's requests had their effect, from the database and the upstreams. */
  effects(api: FullApi, customerId: string): Promise<number>;
}

const count = async ({ api }: FullApi, table: string, customerId: string, condition = 'true') => {
  const { rows } = await api.superuser.query<{ count: number }>(
    `select count(*)::int as count from ${table} where customer_id = $1 and ${condition}`,
    [customerId],
  );
  return rows[0]?.count ?? 0;
};

const MESSAGE = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 };
const charges = async (api: FullApi, customerId: string) =>
  Math.max(await count(api, 'ai_usage', customerId), api.sandbox.messages.total);

/** Every POST of the interface that has an effect. */
export const IDEMPOTENT_POSTS: IdempotentPost[] = [
  {
    name: '/support/tickets',
    path: '/support/tickets',
    body: { title: 'Printer', body: 'It is on fire' },
    status: 201,
    // One is there from the beginning.
    effects: async (api, customerId) => (await count(api, 'support_ticket', customerId)) - 1,
  },
  {
    name: '/support/tickets/{id}/replies',
    path: '/support/tickets/TICKET/replies',
    body: { body: 'It still is' },
    status: 201,
    effects: (api, customerId) => count(api, 'support_ticket_reply', customerId),
  },
  {
    name: '/support/tickets/{id}/close',
    path: '/support/tickets/TICKET/close',
    status: 200,
    effects: (api, customerId) => count(api, 'audit_log', customerId, `action = 'ticket.close'`),
  },
  {
    name: '/ai/credit-requests',
    path: '/ai/credit-requests',
    body: { amount_nok: 500 },
    status: 201,
    effects: (api, customerId) => count(api, 'ai_credit_request', customerId),
  },
  {
    name: '/sms/send',
    path: '/sms/send',
    body: { to: '+4790000000', message: 'Hello' },
    status: 201,
    effects: async (api, customerId) =>
      Math.max(await count(api, 'sms_message', customerId), api.sandbox.elks46.accepted.length),
  },
  { name: '/ai/messages', path: '/ai/messages', body: MESSAGE, status: 201, effects: charges },
  {
    name: '/ai/messages as a stream',
    path: '/ai/messages',
    body: { ...MESSAGE, stream: true },
    status: 201,
    effects: charges,
  },
  { name: '/ai/v1/messages', path: '/ai/v1/messages', body: MESSAGE, status: 200, effects: charges },
  {
    name: '/ai/v1/messages as a stream',
    path: '/ai/v1/messages',
    body: { ...MESSAGE, stream: true },
    status: 200,
    effects: charges,
  },
  {
    name: '/webhooks/endpoints',
    path: '/webhooks/endpoints',
    body: { url: 'https://hooks.example.com/' },
    status: 201,
    // One is there from the beginning.
    effects: async (api, customerId) => (await count(api, 'webhook_endpoint', customerId)) - 1,
  },
  {
    name: '/webhooks/endpoints/{id}/rotate-secret',
    path: '/webhooks/endpoints/ENDPOINT/rotate-secret',
    status: 200,
    effects: (api, customerId) => count(api, 'audit_log', customerId, `action = 'webhook.rotate-secret'`),
  },
  {
    name: '/webhooks/endpoints/{id}/test',
    path: '/webhooks/endpoints/ENDPOINT/test',
    status: 201,
    effects: (api, customerId) => count(api, 'webhook_delivery', customerId, `event_type = 'webhook.test'`),
  },
  {
    name: '/webhooks/endpoints/{id}/redeliver',
    path: '/webhooks/endpoints/ENDPOINT/redeliver',
    body: { since: '2026-01-01T00:00:00Z' },
    status: 200,
    effects: (api, customerId) => count(api, 'audit_log', customerId, `action = 'webhook.redeliver-since'`),
  },
  {
    name: '/webhooks/deliveries/{id}/redeliver',
    path: '/webhooks/deliveries/DELIVERY/redeliver',
    status: 200,
    effects: (api, customerId) => count(api, 'audit_log', customerId, `action = 'webhook.redeliver'`),
  },
];

/** A reply as far as a replay must equal it. */
export interface ReplyBytes {
  status: number;
  type: string | null;
  replayed: boolean;
  body: string;
}

/** A customer with every permission, a ticket and a delivery to a webhook endpoint, who posts with Idempotency-Keys. */
export async function createKeyedCaller(full: FullApi) {
  const caller = await createFullCaller(full);
  const ticketId = randomUUID();
  await full.api.superuser.query(
    `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'Toner', 'It is empty')`,
    [caller.customer.id, ticketId],
  );
  const { endpointId, deliveryId } = await saveFakeDelivery(full.api.superuser, caller.customer.id);
  const post = async (
    path: string,
    body?: object | string,
    key?: string,
    token = caller.token.token,
  ): Promise<ReplyBytes> => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const headers = {
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    const named = path.replace('TICKET', ticketId).replace('ENDPOINT', endpointId).replace('DELIVERY', deliveryId);
    const reply = await callerOf(full.api.baseUrl, token)(named, { method: 'POST', headers, body: text });
    return {
      status: reply.status,
      type: reply.headers.get('content-type'),
      replayed: reply.headers.get('idempotency-replayed') === 'true',
      body: await reply.text(),
    };
  };
  return { ...caller, post, newKey: () => randomUUID() };
}
