import { readFileSync } from 'node:fs';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';

interface Media {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  operationId: string;
  parameters?: {
    name: string;
    in: string;
    example?: string | number;
    schema: { example?: string | number; default?: string | number };
  }[];
  requestBody?: { content: Record<string, Media> };
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** All example bodies of an operation; one request without a body if it takes none. */
function bodiesOf({ requestBody }: Operation): unknown[] {
  const media = Object.values(requestBody?.content ?? {});
  const bodies = media.flatMap(({ example, examples = {} }) => [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
  ]);
  return requestBody ? bodies : [undefined];
}

/** The query that a tool fills in from the document. */
function queryOf({ parameters = [] }: Operation): URLSearchParams {
  const query = new URLSearchParams();
  for (const parameter of parameters.filter((candidate) => candidate.in === 'query')) {
    const value = parameter.example ?? parameter.schema.example ?? parameter.schema.default;
    if (value !== undefined) query.set(parameter.name, `${value}`);
  }
  return query;
}

/** Sends the examples of the document unchanged. */
describe('the examples of the document', () => {
  let full: FullApi;
  let me: Awaited<ReturnType<typeof createFullCaller>>;
  beforeAll(async () => {
    full = await startFullApi();
    me = await createFullCaller(full);
  });
  afterAll(() => full.stop());

  const requests = operations.flatMap(({ path, method, operation }) =>
    bodiesOf(operation).map(
      (body) => [`${method} ${path}`, { path, method, body, query: queryOf(operation) }] as const,
    ),
  );

  it('exist for every operation', () => {
    expect(new Set(requests.map(([name]) => name)).size).toBe(operations.length);
    expect(requests.filter(([, { query }]) => query.has('limit')).length).toBeGreaterThan(5);
  });

  it.each(requests)('succeed when sent to %s as they are', async (_name, { path, method, body, query }) => {
    const ids: Record<string, () => Promise<string>> = {
      '/ai/credit-requests/{id}': () => sent('/ai/credit-requests', { amount_nok: 100, reference: 'examples' }),
      '/ai/usage/{id}': usage,
      '/ai/v1/models/{id}': model,
      '/invoices/{id}': invoice,
      '/invoices/{id}/pdf': invoice,
      '/sms/log/{id}': () => sent('/sms/send', { to: '+4790000000', message: 'Hello' }),
      '/support/tickets/{id}': ticket,
      '/support/tickets/{id}/replies': ticket,
      '/support/tickets/{id}/close': ticket,
      '/webhooks/endpoints/{id}': endpoint,
      '/webhooks/endpoints/{id}/rotate-secret': endpoint,
      '/webhooks/endpoints/{id}/test': endpoint,
      '/webhooks/endpoints/{id}/redeliver': endpoint,
      '/webhooks/deliveries/{id}/redeliver': delivery,
    };
    const init = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const address = path.replace('{id}', (await ids[path]?.()) ?? '');
    const reply = await me.call(`${address}?${query.toString()}`, body === undefined ? { method } : init);
    // If the request is refused, the reply's text says why.
    expect([200, 201, 204, await reply.text()]).toContain(reply.status);
  });

  /** Makes a record. @returns its id */
  async function sent(path: string, record: object): Promise<string> {
    const init = { method: 'POST', body: JSON.stringify(record), headers: { 'content-type': 'application/json' } };
    return String(((await (await me.call(path, init)).json()) as { id: number | string }).id);
  }
  async function model(): Promise<string> {
    return ((await (await me.call('/ai/v1/models')).json()) as { data: { id: string }[] }).data[0]?.id ?? '';
  }
  const invoice = () => Promise.resolve(me.invoice.id);
  const ticket = () => sent('/support/tickets', { title: 'A question', body: 'How do I …?' });
  const endpoint = () => sent('/webhooks/endpoints', { url: 'https://hooks.example.com/' });
  const delivery = async () => sent(`/webhooks/endpoints/${await endpoint()}/test`, {});
  async function usage(): Promise<string> {
    await sent('/ai/messages', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 });
    return ((await (await me.call('/ai/usage')).json()) as { data: { id: string }[] }).data[0]?.id ?? '';
  }
});
