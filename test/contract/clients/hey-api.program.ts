import { environment, report } from './environment.js';
import { client } from './hey-api/client.gen.js';
import * as api from './hey-api/sdk.gen.js';

const { baseUrl, token, invoiceId, serviceId } = environment();
client.setConfig({ baseUrl, auth: token, throwOnError: true });

const asked = await api.createCreditRequest({
  body: { amount_nok: 1234.56, reference: 'hey-api' },
  throwOnError: true,
});
const answer = await api.createMessage({
  body: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 300 },
  throwOnError: true,
});
const text: string = answer.data.content.map((block) => block.text ?? '').join('');
if (text === '') throw new Error('The answer has no text');

// The generated zod check of a binary reply expects a string.
const pdf = await api.getInvoicePdf({
  path: { id: invoiceId },
  responseValidator: () => Promise.resolve(undefined),
  throwOnError: true,
});
if (!(await pdf.data.text()).startsWith('%PDF')) throw new Error('The PDF is none');

const sms = await api.sendSms({ body: { to: '+4790000000', message: 'Hello' }, throwOnError: true });
const ticket = await api.createTicket({
  body: { title: 'A question', body: 'How do I …?', service_id: serviceId },
  throwOnError: true,
});
const endpoint = await api.createWebhookEndpoint({
  body: { url: 'https://erp.example.com/hooks', event_types: ['sms.failed'] },
  throwOnError: true,
});
const ofEndpoint = { path: { id: endpoint.data.id }, throwOnError: true } as const;
const tested = await api.testWebhookEndpoint(ofEndpoint);
const page = { query: { limit: 5 }, throwOnError: true } as const;
const models = await api.listSdkModels({ throwOnError: true });
const usage = await api.listAiUsage({ query: { from: '2020-01-01' }, throwOnError: true });
const called = {
  getCustomer: await api.getCustomer({ throwOnError: true }),
  listServices: await api.listServices(page),
  getAiStatus: await api.getAiStatus({ throwOnError: true }),
  createMessage: answer,
  createSdkMessage: await api.createSdkMessage({
    body: {
      model: 'any',
      messages: [{ role: 'user', content: 'Hello' }],
      system: 'Be brief.',
      max_tokens: 2000,
      tools: [{ name: 'get_weather', description: 'The weather', input_schema: { type: 'object' } }],
      tool_choice: { type: 'auto' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      temperature: 1,
      top_p: 0.95,
      top_k: 40,
      stop_sequences: ['END'],
      service_tier: 'auto',
      output_config: { effort: 'low' },
      cache_control: { type: 'ephemeral' },
      metadata: { user_id: 'mine' },
      stream: false,
    },
    throwOnError: true,
  }),
  countSdkTokens: await api.countSdkTokens({
    body: { messages: [{ role: 'user', content: 'Hello' }] },
    throwOnError: true,
  }),
  listAiUsage: usage,
  getAiUsage: await api.getAiUsage({ path: { id: usage.data.data[0]?.id ?? '' }, throwOnError: true }),
  summarizeAiUsage: await api.summarizeAiUsage({ query: { group_by: 'model' }, throwOnError: true }),
  listAiLedger: await api.listAiLedger({ query: { kind: 'usage' }, throwOnError: true }),
  listSdkModels: models,
  getSdkModel: await api.getSdkModel({ path: { id: models.data.data[0]?.id ?? '' }, throwOnError: true }),
  listCreditRequests: await api.listCreditRequests({ query: { limit: 5, status: 'pending' }, throwOnError: true }),
  createCreditRequest: asked,
  getCreditRequest: await api.getCreditRequest({ path: { id: asked.data.id }, throwOnError: true }),
  listInvoices: await api.listInvoices({
    query: { issue_date_from: '2026-01-01', issue_date_to: '2026-12-31' },
    throwOnError: true,
  }),
  getInvoicePdf: pdf,
  getInvoice: await api.getInvoice({ path: { id: invoiceId }, throwOnError: true }),
  createTicket: ticket,
  listTickets: await api.listTickets({
    query: { status: 'open', created_after: '2026-01-01T00:00:00+01:00' },
    throwOnError: true,
  }),
  getTicket: await api.getTicket({ path: { id: ticket.data.id }, throwOnError: true }),
  createTicketReply: await api.createTicketReply({
    path: { id: ticket.data.id },
    body: { body: 'I found out.' },
    throwOnError: true,
  }),
  closeTicket: await api.closeTicket({ path: { id: ticket.data.id }, throwOnError: true }),
  sendSms: sms,
  listSms: await api.listSms(page),
  getSms: await api.getSms({ path: { id: sms.data.id }, throwOnError: true }),
  listStatus: await api.listStatus(page),
  listEvents: await api.listEvents({ query: { types: ['sms.failed'], wait: 0 }, throwOnError: true }),
  createWebhookEndpoint: endpoint,
  listWebhookEndpoints: await api.listWebhookEndpoints(page),
  getWebhookEndpoint: await api.getWebhookEndpoint(ofEndpoint),
  changeWebhookEndpoint: await api.changeWebhookEndpoint({ ...ofEndpoint, body: { description: 'ERP' } }),
  rotateWebhookSecret: await api.rotateWebhookSecret(ofEndpoint),
  testWebhookEndpoint: tested,
  redeliverWebhooks: await api.redeliverWebhooks({ ...ofEndpoint, body: { since: '2026-01-01T00:00:00Z' } }),
  listWebhookDeliveries: await api.listWebhookDeliveries({
    query: { endpoint_id: endpoint.data.id, state: 'pending' },
    throwOnError: true,
  }),
  redeliverWebhook: await api.redeliverWebhook({ path: { id: tested.data.id }, throwOnError: true }),
  deleteWebhookEndpoint: await api.deleteWebhookEndpoint(ofEndpoint),
};
report(Object.fromEntries(Object.entries(called).map(([name, { response }]) => [name, response.status])));
