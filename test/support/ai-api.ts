import { randomBytes } from 'node:crypto';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { enableAi, saveModelPrice, type TestAiCustomer } from './ai-factories';
import { createCaller, startApi, type TestApi } from './api';

/** The API with the sandbox as its AI provider, and a model that has a price. */
export interface AiApi {
  api: TestApi;
  sandbox: Sandbox;
  model: string;
  stop(): Promise<void>;
}

export async function startAiApi(settings: Record<string, string> = {}): Promise<AiApi> {
  const sandbox = await startSandbox();
  const api = await startApi({
    ANTHROPIC_BASE_URL: sandbox.urls.messages,
    ANTHROPIC_API_KEY: 'sk-service-wide-key',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    AI_UPSTREAM_TIMEOUT_MS: '5000',
    UPSTREAM_BREAKER_FAILURES: '1000000',
    RATE_LIMIT_REQUESTS_PER_MINUTE: '100000',
    RATE_LIMIT_AI_PER_MINUTE: '100000',
    RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
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

/** Creates a customer with AI, a token and functions that call the API. */
export async function createAiCaller({ api, model }: AiApi, ai: Partial<TestAiCustomer> = {}) {
  const caller = await createCaller(api);
  await enableAi(api.superuser, caller.customer.id, { model, included: 5, ...ai });
  const post = (path: string, body: object | string | Buffer, init: RequestInit = {}) =>
    caller.call(path, {
      ...init,
      method: 'POST',
      body: typeof body === 'string' || Buffer.isBuffer(body) ? (body as RequestInit['body']) : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...init.headers },
    });
  return { ...caller, post };
}
