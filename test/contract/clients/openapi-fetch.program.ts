import createClient from 'openapi-fetch';
import { environment, report } from './environment.js';
import type { paths } from './openapi-typescript.js';

const { baseUrl, token, invoiceId, serviceId } = environment();
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

/** The data of a reply. @throws for a problem */
function need<Data>({ data, error }: { data?: Data; error?: { detail: string } }): Data {
  if (data === undefined) throw new Error(error?.detail ?? 'No data');
  return data;
}

const asked = await client.POST('/ai/credit-requests', { body: { amount_nok: 1234.56, reference: 'openapi-fetch' } });
const answer = await client.POST('/ai/messages', {
  body: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }], max_tokens: 300 },
});
const text: string = need(answer)
  .content.map((block) => block.text ?? '')
  .join('');
if (text === '') throw new Error('The answer has no text');
const pdf = await client.GET('/invoices/{id}/pdf', { params: { path: { id: invoiceId } }, parseAs: 'blob' });
if (!(await need(pdf).text()).startsWith('%PDF')) throw new Error('The PDF is none');

const sms = await client.POST('/sms/send', { body: { to: '+4790000000', message: 'Hello' } });
const ticket = await client.POST('/support/tickets', {
  body: { title: 'A question', body: 'How do I …?', service_id: serviceId },
});
const ofTicket = { path: { id: need(ticket).id } };
const params = { query: { limit: 5 } };
const invoices = await client.GET('/invoices', {
  params: { query: { issue_date_from: '2026-01-01', issue_date_to: '2026-12-31' } },
});
need(invoices).data satisfies { number: string; amount: number; due_date: string | null }[];
const models = await client.GET('/ai/v1/models');
const usage = await client.GET('/ai/usage', { params: { query: { from: '2020-01-01' } } });
const receipts = need(usage);
receipts.data satisfies { cost: number; paid_from_included: number }[];
const endpoint = await client.POST('/webhooks/endpoints', { body: { url: 'https://erp.example.com/hooks' } });
const ofEndpoint = { params: { path: { id: need(endpoint).id } } };
const tested = await client.POST('/webhooks/endpoints/{id}/test', ofEndpoint);
const called = {
  getCustomer: await client.GET('/customer'),
  listServices: await client.GET('/services', { params }),
  getAiStatus: await client.GET('/ai'),
  createMessage: answer,
  createSdkMessage: await client.POST('/ai/v1/messages', {
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
  }),
  countSdkTokens: await client.POST('/ai/v1/messages/count_tokens', {
    body: { messages: [{ role: 'user', content: 'Hello' }] },
  }),
  listAiUsage: usage,
  getAiUsage: await client.GET('/ai/usage/{id}', { params: { path: { id: receipts.data[0]?.id ?? '' } } }),
  summarizeAiUsage: await client.GET('/ai/usage/summary', { params: { query: { group_by: 'model' } } }),
  listAiLedger: await client.GET('/ai/ledger', { params: { query: { kind: 'usage' } } }),
  listSdkModels: models,
  getSdkModel: await client.GET('/ai/v1/models/{id}', {
    params: { path: { id: need(models).data[0]?.id ?? '' } },
  }),
  listCreditRequests: await client.GET('/ai/credit-requests', { params: { query: { status: 'pending' } } }),
  createCreditRequest: asked,
  getCreditRequest: await client.GET('/ai/credit-requests/{id}', { params: { path: { id: need(asked).id } } }),
  listInvoices: invoices,
  getInvoicePdf: pdf,
  getInvoice: await client.GET('/invoices/{id}', { params: { path: { id: invoiceId } } }),
  createTicket: ticket,
  listTickets: await client.GET('/support/tickets', {
    params: { query: { status: 'open', created_after: '2026-01-01T00:00:00+01:00' } },
  }),
  getTicket: await client.GET('/support/tickets/{id}', { params: ofTicket }),
  createTicketReply: await client.POST('/support/tickets/{id}/replies', {
    params: ofTicket,
    body: { body: 'I found out.' },
  }),
  closeTicket: await client.POST('/support/tickets/{id}/close', { params: ofTicket }),
  sendSms: sms,
  listSms: await client.GET('/sms/log', { params }),
  getSms: await client.GET('/sms/log/{id}', { params: { path: { id: need(sms).id } } }),
  listStatus: await client.GET('/status', { params }),
  listEvents: await client.GET('/events', { params: { query: { types: ['sms.failed'], wait: 0 } } }),
  createWebhookEndpoint: endpoint,
  listWebhookEndpoints: await client.GET('/webhooks/endpoints', { params }),
  getWebhookEndpoint: await client.GET('/webhooks/endpoints/{id}', ofEndpoint),
  changeWebhookEndpoint: await client.PATCH('/webhooks/endpoints/{id}', {
    ...ofEndpoint,
    body: { description: 'ERP' },
  }),
  rotateWebhookSecret: await client.POST('/webhooks/endpoints/{id}/rotate-secret', ofEndpoint),
  testWebhookEndpoint: tested,
  redeliverWebhooks: await client.POST('/webhooks/endpoints/{id}/redeliver', {
    ...ofEndpoint,
    body: { since: '2026-01-01T00:00:00Z' },
  }),
  listWebhookDeliveries: await client.GET('/webhooks/deliveries', { params: { query: { state: 'pending' } } }),
  redeliverWebhook: await client.POST('/webhooks/deliveries/{id}/redeliver', {
    params: { path: { id: need(tested).id } },
  }),
  deleteWebhookEndpoint: await client.DELETE('/webhooks/endpoints/{id}', ofEndpoint),
};
report(Object.fromEntries(Object.entries(called).map(([name, { response }]) => [name, response.status])));
