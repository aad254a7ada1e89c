import { randomUUID } from 'node:crypto';

/** The parts of an OpenAPI document that tell which calls there are. */
export interface OpenApiPaths {
  paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>;
}

/** A request of one kind. */
export interface Call {
  /** Such as `GET /sms/log, page 4`. */
  name: string;
  method: string;
  path: string;
  body?: () => unknown;
}

/** Bodies of the calls that write or compute. */
const BODIES: Record<string, () => unknown> = {
  '/ai/messages': () => ({ messages: [{ role: 'user', content: 'Hello, how are you?' }], max_tokens: 64 }),
  '/ai/v1/messages': () => ({
    model: 'any',
    messages: [{ role: 'user', content: 'Hello, how are you?' }],
    max_tokens: 64,
  }),
  '/ai/v1/messages/count_tokens': () => ({ model: 'any', messages: [{ role: 'user', content: 'Hello' }] }),
  '/ai/credit-requests': () => ({ amount_nok: 100, reference: randomUUID() }),
  '/sms/send': () => ({ to: '+4790000000', message: 'Your order is ready' }),
  '/support/tickets': () => ({ title: 'Something is broken', body: 'It does not work' }),
  '/support/tickets/{id}/replies': () => ({ body: 'Still broken' }),
};

/** Not measured: they end what others need, or reach another system for their answer. */
const LEFT_OUT = [
  '/support/tickets/{id}/close',
  '/invoices/{id}/pdf',
  'POST /webhooks/endpoints',
  'PATCH /webhooks/endpoints/{id}',
  'DELETE /webhooks/endpoints/{id}',
  '/webhooks/endpoints/{id}/rotate-secret',
  '/webhooks/endpoints/{id}/test',
  '/webhooks/endpoints/{id}/redeliver',
  '/webhooks/deliveries/{id}/redeliver',
];
const PAGE = 20;
/** How far the deep page is behind the first. */
const PAGES = 3;

/**
 * One call of each operation of the document, and for a list also a page behind the first. Ids are those of the customer's own
 * rows. @throws for an operation of which it knows neither a body nor that it is left out: it would go unmeasured
 */
export async function planCalls(origin: string, token: string, { paths }: OpenApiPaths): Promise<Call[]> {
  const get = async (path: string) => {
    const reply = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!reply.ok) throw new Error(`GET ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as { data?: { id: unknown }[]; next_cursor?: string | null };
  };
  const calls: Call[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    for (const [verb, { parameters = [] }] of Object.entries(operations)) {
      const method = verb.toUpperCase();
      if (LEFT_OUT.includes(path) || LEFT_OUT.includes(`${method} ${path}`)) continue;
      const filled = await fillId(path, get);
      if (filled === undefined) continue;
      const name = `${method} ${path}`;
      if (method === 'POST') {
        const body = BODIES[path];
        if (!body) throw new Error(`No body is known for ${name}`);
        calls.push({ name, method, path: filled, body });
        continue;
      }
      const isList = parameters.some((parameter) => parameter.name === 'cursor');
      const first = isList ? `${filled}?limit=${PAGE}` : filled;
      calls.push({ name, method, path: first });
      const deep = isList ? await deepPage(first, get) : undefined;
      if (deep !== undefined) calls.push({ name: `${name}, page ${PAGES + 1}`, method, path: deep });
    }
  }
  return calls;
}

type Get = (path: string) => Promise<{ data?: { id: unknown }[]; next_cursor?: string | null }>;

/** @returns undefined if the list above it has no rows */
async function fillId(path: string, get: Get): Promise<string | undefined> {
  const at = path.indexOf('/{');
  if (at < 0) return path;
  const parent = path.slice(0, at);
  const { data = [] } = await get(parent === '/sms' ? '/sms/log' : parent);
  return data[0] && path.replace(/\{[^}]+\}/, String(data[0].id));
}

async function deepPage(first: string, get: Get): Promise<string | undefined> {
  let path = first;
  for (let page = 0; page < PAGES; page++) {
    const { next_cursor: cursor } = await get(path);
    if (!cursor) return undefined;
    path = `${first}&cursor=${cursor}`;
  }
  return path;
}
