import { randomBytes } from 'node:crypto';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { saveFakeDelivery } from '@test/factories/webhook.factory';
import document from '../../openapi.json';

/** Values of each JSON type, and some that are good by their form only. Random ones hardly meet their field in an otherwise good request. */
const VALUES = [
  ...[null, true, false, '', 'x', [], [null], {}, -1, 2 ** 31, 1e308],
  ...['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '9999-12-31', '0001-01-01'],
];
/** The provider judges the further fields of its own API. */
const FORWARDING = '/ai/v1/';

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
}

interface Schema {
  properties?: Record<string, { [name: string]: unknown; example?: unknown; enum?: unknown[] }>;
  required?: string[];
}

const { paths, schemas }: { paths: Record<string, Record<string, Operation>>; schemas: Record<string, Schema> } = {
  paths: document.paths,
  schemas: document.components.schemas,
};

describe('requests with one value at the edge of what its field or parameter takes', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi({ SECRETS_KEY: randomBytes(32).toString('base64') })));
  afterAll(() => ai.stop());

  it('never fail', async () => {
    const { customer, call, post } = await createAiCaller(ai);
    await ai.api.superuser.query(
      `insert into sms_settings (customer_id, enabled, sender_id) values ($1, true, 'Fjordlys')`,
      [customer.id],
    );
    const { endpointId, deliveryId } = await saveFakeDelivery(ai.api.superuser, customer.id);
    const ticket = (await (await post('/support/tickets', { title: 'Printer', body: 'Fire' })).json()) as {
      id: string;
    };
    const addressOf = (path: string) => {
      const id = path.includes('tickets') ? ticket.id : path.includes('deliveries') ? deliveryId : endpointId;
      return path.replace('{id}', id);
    };
    const failures: string[] = [];
    const attempt = async (method: string, address: string, body?: unknown) => {
      const sent = body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      };
      const reply = await call(address, { method, ...sent });
      const text = await reply.text();
      // Without a gateway no SMS can be sent.
      if (reply.status >= 500 && reply.status !== 502)
        failures.push(`${method} ${address} ${JSON.stringify(body)}: ${text}`);
    };
    for (const [path, operations] of Object.entries(paths))
      for (const [name, { parameters = [], requestBody }] of Object.entries(operations)) {
        const [method, address] = [name.toUpperCase(), addressOf(path)];
        const queries = parameters.filter((one) => one.in === 'query' && one.name !== 'wait');
        for (const query of queries)
          for (const value of VALUES)
            await attempt(
              method,
              `${address}?${query.name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
            );
        const reference = requestBody?.content['application/json'].schema.$ref;
        if (reference === undefined) continue;
        const { properties = {}, required = [] } = schemas[reference.split('/').at(-1) ?? ''] ?? {};
        const good = (field: string) =>
          field === 'messages'
            ? [{ role: 'user', content: 'Hello' }]
            : (properties[field]?.example ?? properties[field]?.enum?.[0] ?? 'Fjordlys');
        const least = Object.fromEntries(required.map((field) => [field, good(field)]));
        for (const value of VALUES) {
          await attempt(method, address, value);
          for (const field of path.includes(FORWARDING) ? required : Object.keys(properties))
            await attempt(method, address, { ...least, [field]: value });
        }
      }
    expect(failures).toEqual([]);
  }, 120_000);
});
