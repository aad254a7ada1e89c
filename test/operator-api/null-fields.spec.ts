import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { takeViolations } from '@test/conformance/violations';
import { fakeOrganizationNumber, saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';

interface Schema {
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
}
interface Operation {
  requestBody?: { content: { 'application/json': { schema: { $ref: string }; example?: Record<string, unknown> } } };
}

const document = JSON.parse(readFileSync(join('apps', 'operator-api', 'openapi.json'), 'utf8')) as {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Operation>>;
};

const isNullable = ({ type }: Schema) => [type].flat().includes('null');

/** Every field of a body that may be left out and has no meaning for null; with an example of those that it needs. */
const FIELDS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody }]) => {
    if (requestBody === undefined) return [];
    const { schema, example = {} } = requestBody.content['application/json'];
    const { properties = {}, required = [] } = document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {};
    const needed = Object.fromEntries(Object.entries(example).filter(([name]) => required.includes(name)));
    return Object.keys(properties)
      .filter((name) => !required.includes(name) && !isNullable(properties[name] ?? {}))
      .map((name) => [method.toUpperCase(), path, name, needed] as const);
  }),
);

/** What is another one for each customer and each time. */
const OWN = /^((.+_)?(id|name|number)|name|email|model|token|secret|detail|rotated_from|valid_from|first_day|.+_at)$/;

const without = (names: RegExp, text: string) =>
  JSON.parse(text, (name, value: unknown) => (names.test(name) ? undefined : value)) as unknown;

describe('null for a field that may be left out, and has no meaning for null', () => {
  let api: TestOperatorApi;
  let admin: TestOperator;
  let model: string;
  beforeAll(async () => {
    api = await startOperatorApi({ SECRETS_KEY: randomBytes(32).toString('base64') });
    admin = await logIn(api, 'admin');
    model = await saveModelPrice(api.superuser);
  });
  afterAll(() => api.stop());

  const send = (method: string, path: string, body: object) =>
    admin.call(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const insert = async (statement: string, values: unknown[]) =>
    (await api.superuser.query<{ id: string | number }>(`${statement} returning id`, values)).rows[0]!.id;
  const url = 'https://erp.fjordlys.example/hooks';

  /** A new customer with a record of each kind, none of which has only usual values. */
  async function arrange() {
    const { id: customer } = await saveFakeCustomer(api.superuser);
    await enableAi(api.superuser, customer, { model, included: 5 });
    await api.superuser.query(
      `insert into sms_settings (customer_id, enabled, sender_id, updated_at) values ($1, true, 'Fjordlys', now())`,
      [customer],
    );
    const service = await insert(
      `insert into customer_service (customer_id, type, name, status, config) values ($1, 'hosting', 'Web', 'suspended', '{"disk_gb": 50}')`,
      [customer],
    );
    const ticket = await insert(
      `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'Slow', 'Very')`,
      [customer, randomUUID()],
    );
    const endpoint = await insert(
      `insert into webhook_endpoint (customer_id, id, url, event_types, description, scopes, secret_ciphertext, created_at, updated_at)
       values ($1, $2, $3, '{ai.credit.low}', 'ERP', '{}', '\\x00', now(), now())`,
      [customer, randomUUID(), url],
    );
    const { id: token } = await saveFakeToken(api.superuser, customer);
    const csv = `name,org_number,email\nNordlys,${fakeOrganizationNumber()},it@nordlys.example\n`;
    const ids = {
      customers: customer,
      services: service,
      tickets: ticket,
      'webhook-endpoints': endpoint,
      tokens: token,
    };
    return { customer, service, token, csv, ids: new Map<string, string | number>(Object.entries(ids)) };
  }

  /** Sends a body with what it needs, in new circumstances. @returns what the reply says, and what a change has changed */
  async function outcomeOf(method: string, path: string, needed: object, further: object) {
    const { customer, service, csv, ids } = await arrange();
    const at = path.replace('{id}', String(ids.get(path.split('/')[1] ?? '')));
    const own = { customer_id: customer, service_id: service, csv, email: `${randomUUID()}@example.com`, model };
    const body = Object.entries({ ...needed, ...own }).filter(([name]) => name in needed);
    const read = async () => (method === 'PATCH' ? without(/^updated_at$/, await (await admin.call(at)).text()) : null);
    const before = await read();
    const reply = await send(method, at, { ...Object.fromEntries(body), ...further });
    const told = [reply.status, without(OWN, await reply.text())];
    return { status: reply.status, told, before, after: await read() };
  }

  it.each(FIELDS)('is as if it were left out: %s %s %s', async (method, path, field, needed) => {
    const leftOut = await outcomeOf(method, path, needed, {});
    const given = await outcomeOf(method, path, needed, { [field]: null });
    expect(given.status).toBeLessThan(500);
    expect(given.told).toEqual(leftOut.told);
    expect(given.after).toEqual(given.before);
    // The document promises less than what is accepted.
    takeViolations();
  });

  it('is tried with fields of every kind', () => {
    expect(FIELDS.map(([method, path, field]) => `${method} ${path} ${field}`)).toEqual(
      expect.arrayContaining([
        'PATCH /webhook-endpoints/{id} enabled',
        'PATCH /customers/{id}/ai included_nok',
        'POST /accounts role',
        'POST /tickets/{id}/reply author',
        'POST /tokens/{id}/rotate grace_hours',
      ]),
    );
  });

  it('leaves the former token of a rotation its 24 hours', async () => {
    const { token } = await arrange();
    const reply = await send('POST', `/tokens/${token}/rotate`, { grace_hours: null });
    expect(reply.status).toBe(201);
    const { rows } = await api.superuser.query<{ hours: number }>(
      'select round(extract(epoch from expires_at - now()) / 3600)::int as hours from service_token where id = $1',
      [token],
    );
    expect(rows).toEqual([{ hours: 24 }]);
    takeViolations();
  });

  it('is still a value where null has a meaning', async () => {
    const { customer } = await arrange();
    await send('PATCH', `/customers/${customer}/ai`, { monthly_limit_nok: 50 });
    const reply = await send('PATCH', `/customers/${customer}/ai`, { monthly_limit_nok: null });
    expect(await reply.json()).toMatchObject({ monthly_limit_nok: null });
  });
});
