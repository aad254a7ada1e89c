import { loadConfig } from '@platform/config';
import { providerSettings } from './provider-settings';

describe('providerSettings', () => {
  const settings = (environment: NodeJS.ProcessEnv) => providerSettings(loadConfig(environment));

  it('are the provider itself, unless there is a sandbox and nothing else is said', () => {
    expect(settings({})).toEqual({ baseUrl: 'https://api.anthropic.com', sharedKey: undefined, inSandbox: false });
    expect(settings({ SANDBOX_URL: 'http://127.0.0.1:4010/' })).toEqual({
      baseUrl: 'http://127.0.0.1:4010/anthropic',
      sharedKey: 'sandbox',
      inSandbox: true,
    });
  });

  it('never send a real key to the sandbox', () => {
    const real = settings({ SANDBOX_URL: 'http://127.0.0.1:4010', ANTHROPIC_API_KEY: 'sk-real' });
    expect(real).toEqual({ baseUrl: 'https://api.anthropic.com', sharedKey: 'sk-real', inSandbox: false });
  });

  it('keep to an address that is given', () => {
    const address = 'https://gateway.example/ai';
    const own = { baseUrl: address, sharedKey: undefined, inSandbox: false };
    expect(settings({ ANTHROPIC_BASE_URL: address })).toEqual(own);
    expect(settings({ ANTHROPIC_BASE_URL: address, SANDBOX_URL: 'http://127.0.0.1:4010' })).toEqual(own);
  });
});
