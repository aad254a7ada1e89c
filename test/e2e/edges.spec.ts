import { randomBytes } from 'node:crypto';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { EDGES, edgeRequests, sentBody } from '@test/edge-requests';
import { saveFakeDelivery } from '@test/factories/webhook.factory';
import document from '../../openapi.json';

/** Values of each JSON type, and those at the edges. */
const VALUES = [...[null, true, false, '', 'x', [], [null], {}, 1e308], ...EDGES];

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
    const addressOf = (_method: string, path: string) => {
      const id = path.includes('tickets') ? ticket.id : path.includes('deliveries') ? deliveryId : endpointId;
      return path.replace('{id}', id);
    };
    const good = { messages: [{ role: 'user', content: 'Hello' }] };
    const failures: string[] = [];
    let sent = 0;
    // The provider judges the further fields of its own API.
    for (const one of edgeRequests(document, { values: VALUES, addressOf, good, requiredOnly: '/ai/v1/' })) {
      const reply = await call(one.address, { method: one.method, ...sentBody(one) });
      const text = await reply.text();
      sent++;
      // Without a gateway no SMS can be sent.
      if (reply.status >= 500 && reply.status !== 502) failures.push(`${JSON.stringify(one)}: ${text}`);
    }
    expect(failures).toEqual([]);
    expect(sent).toBeGreaterThan(1000);
  }, 240_000);
});
