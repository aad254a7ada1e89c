import { randomUUID } from 'node:crypto';
import { createFullCaller, type FullApi } from './full-api';

/** A POST, and how its effects are counted. */
export interface IdempotentPost {
  path: string;
  body: object;
  /** How often the customer's requests had their effect, from the database and the upstreams. */
  effects(api: FullApi, customerId: string): Promise<number>;
}

const count = async ({ api }: FullApi, table: string, customerId: string) => {
  const { rows } = await api.superuser.query<{ count: number }>(
    `select count(*)::int as count from ${table} where customer_id = $1`,
    [customerId],
  );
  return rows[0]?.count ?? 0;
};

/** Every POST of the interface. */
export const IDEMPOTENT_POSTS: IdempotentPost[] = [
  {
    path: '/support/tickets',
    body: { title: 'Printer', body: 'It is on fire' },
    effects: (api, customerId) => count(api, 'support_ticket', customerId),
  },
  {
    path: '/ai/credit-requests',
    body: { amount_nok: 500 },
    effects: (api, customerId) => count(api, 'ai_credit_request', customerId),
  },
  {
    path: '/sms/send',
    body: { to: '+4790000000', message: 'Hello' },
    effects: async (api, customerId) => {
      const [stored, sent] = [await count(api, 'sms_message', customerId), api.sandbox.elks46.accepted.length];
      return Math.max(stored, sent);
    },
  },
];

/** A reply as far as a replay must equal it. */
export interface ReplyBytes {
  status: number;
  type: string | null;
  replayed: boolean;
  body: string;
}

/** A customer with every permission, who posts with Idempotency-Keys. */
export async function createKeyedCaller(full: FullApi) {
  const caller = await createFullCaller(full);
  const post = async (path: string, body: object | string, key?: string): Promise<ReplyBytes> => {
    const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const reply = await caller.call(path, { method: 'POST', headers, body: text });
    return {
      status: reply.status,
      type: reply.headers.get('content-type'),
      replayed: reply.headers.get('idempotency-replayed') === 'true',
      body: await reply.text(),
    };
  };
  return { ...caller, post, newKey: () => randomUUID() };
}
