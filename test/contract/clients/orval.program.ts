import { environment, report } from './environment.js';
import * as api from './orval/api.js';

const { token, invoiceId, serviceId } = environment();
const init: RequestInit = { headers: { authorization: `Bearer ${token}` } };

const asked = await api.createCreditRequest({ amount_nok: 1234.56, reference: 'orval' }, init);
if (asked.status !== 201) throw new Error('The request was not made');
const answer = await api.createMessage({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 300 }, init);
if (answer.status !== 201) throw new Error(answer.data.detail);
const text: string = answer.data.content.map((block) => block.text ?? '').join('');
if (text === '') throw new Error('The answer has no text');
const pdf = await api.getInvoicePdf(invoiceId, init);
if (pdf.status !== 200) throw new Error(pdf.data.detail);
if (!(await pdf.data.text()).startsWith('%PDF')) throw new Error('The PDF is none');

const sms = await api.sendSms({ to: '+4790000000', message: 'Hello' }, init);
if (sms.status !== 201) throw new Error(sms.data.detail);
const ticket = await api.createTicket({ title: 'A question', body: 'How do I …?', service_id: serviceId }, init);
if (ticket.status !== 201) throw new Error(ticket.data.detail);
const endpoint = await api.createWebhookEndpoint({ url: 'https://erp.example.com/hooks' }, init);
if (endpoint.status !== 201) throw new Error(endpoint.data.detail);
const tested = await api.testWebhookEndpoint(endpoint.data.id, init);
if (tested.status !== 201) throw new Error(tested.data.detail);
const models = await api.listSdkModels(init);
if (models.status !== 200) throw new Error(models.data.detail);
const usage = await api.listAiUsage({ from: '2020-01-01' }, init);
if (usage.status !== 200 || typeof usage.data === 'string') throw new Error('The receipts are no JSON');
const called = {
  getCustomer: await api.getCustomer(init),
  listServices: await api.listServices({ limit: 5 }, init),
  getAiStatus: await api.getAiStatus(init),
  createMessage: answer,
  createSdkMessage: await api.createSdkMessage(
    {
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
    init,
  ),
  countSdkTokens: await api.countSdkTokens({ messages: [{ role: 'user', content: 'Hello' }] }, init),
  listAiUsage: usage,
  getAiUsage: await api.getAiUsage(usage.data.data[0]?.id ?? '', init),
  summarizeAiUsage: await api.summarizeAiUsage({ group_by: 'model' }, init),
  listAiLedger: await api.listAiLedger({ kind: 'usage' }, init),
  listSdkModels: models,
  getSdkModel: await api.getSdkModel(models.data.data[0]?.id ?? '', init),
  listCreditRequests: await api.listCreditRequests({ status: 'pending' }, init),
  createCreditRequest: asked,
  getCreditRequest: await api.getCreditRequest(asked.data.id, init),
  listInvoices: await api.listInvoices({ issue_date_from: '2026-01-01', issue_date_to: '2026-12-31' }, init),
  getInvoicePdf: pdf,
  getInvoice: await api.getInvoice(invoiceId, init),
  createTicket: ticket,
  listTickets: await api.listTickets({ status: 'open', created_after: '2026-01-01T00:00:00+01:00' }, init),
  getTicket: await api.getTicket(ticket.data.id, init),
  createTicketReply: await api.createTicketReply(ticket.data.id, { body: 'I found out.' }, init),
  closeTicket: await api.closeTicket(ticket.data.id, init),
  sendSms: sms,
  listSms: await api.listSms({ limit: 5 }, init),
  getSms: await api.getSms(sms.data.id, init),
  listStatus: await api.listStatus({}, init),
  listEvents: await api.listEvents({ types: ['sms.failed'], wait: 0 }, init),
  createWebhookEndpoint: endpoint,
  listWebhookEndpoints: await api.listWebhookEndpoints({ limit: 5 }, init),
  getWebhookEndpoint: await api.getWebhookEndpoint(endpoint.data.id, init),
  changeWebhookEndpoint: await api.changeWebhookEndpoint(endpoint.data.id, { description: 'ERP' }, init),
  rotateWebhookSecret: await api.rotateWebhookSecret(endpoint.data.id, init),
  testWebhookEndpoint: tested,
  redeliverWebhooks: await api.redeliverWebhooks(endpoint.data.id, { since: '2026-01-01T00:00:00Z' }, init),
  listWebhookDeliveries: await api.listWebhookDeliveries({ state: 'pending' }, init),
  redeliverWebhook: await api.redeliverWebhook(tested.data.id, init),
  deleteWebhookEndpoint: await api.deleteWebhookEndpoint(endpoint.data.id, init),
};
report(Object.fromEntries(Object.entries(called).map(([name, { status }]) => [name, status])));
