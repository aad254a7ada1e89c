import { randomBytes } from 'node:crypto';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { enableAi, saveModelPrice, type TestAiCustomer } from './ai-factories';
import { createCaller, startApi, type TestApi } from './api';
import { saveFakeBillingAccount, saveFakeInvoice } from './factories/invoice.factory';
import type { FakeToken } from './factories/service-token.factory';
import { saveFakeService } from './factories/service.factory';
import { allowSms } from './factories/sms-settings.factory';

/** The API with the sandbox as every upstream, as `npm start` has it. */
export interface FullApi {
  api: TestApi;
  sandbox: Sandbox;
  model: string;
  stop(): Promise<void>;
}

export async function startFullApi(settings: Record<string, string> = {}): Promise<FullApi> {
  const sandbox = await startSandbox();
  const api = await startApi({
    SANDBOX_URL: sandbox.url,
    ANTHROPIC_BASE_URL: sandbox.urls.messages,
    ANTHROPIC_API_KEY: 'sk-service-wide-key',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ...settings,
  });
  return {
    api,
    sandbox,
    model: await saveModelPrice(api.superuser),
    stop: async () => {
      await api.stop();
      await sandbox.close();
    },
  };
}

/**
 * Creates a customer with every permission and one record of each kind: AI credit, SMS, a service, an invoice with a
 * PDF.
 */
export async function createFullCaller(
  { api, sandbox, model }: FullApi,
  fake: FakeToken = {},
  ai: Partial<TestAiCustomer> = {},
) {
  const caller = await createCaller(api, fake);
  const { id } = caller.customer;
  await enableAi(api.superuser, id, { model, included: 1000, ...ai });
  await allowSms(api.superuser, id);
  const service = await saveFakeService(api.superuser, id);
  await saveFakeBillingAccount(api.superuser, id, 'stripe', id);
  const [issued] = sandbox.stripe.store.addInvoices({ customer: id, count: 1, statuses: ['open'] });
  const sourceId = issued?.id ?? '';
  const invoice = await saveFakeInvoice(api.superuser, id, { source: 'stripe', sourceId, pdfReference: sourceId });
  return { ...caller, service, invoice };
}
