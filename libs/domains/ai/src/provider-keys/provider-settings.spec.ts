import { loadConfig } from '@platform/config';
import { providerSettings } from './provider-settings';

describe('providerSettings', () => {
  const settings = (environment: NodeJS.ProcessEnv) => providerSettings(loadConfig(environment));

  it('are the provider itself, unless there is a sandbox and nothing else is said', () => {
    expect(settings({})).toEqual({ baseUrl: 'https://api.anthropic.com', sharedKey: undefined });
    expect(settings({ SANDBOX_URL: 'http://127.0.0.1:4010/' })).toEqual({
      baseUrl: 'http://127.0.0.1:4010/anthropic',
      sharedKey: 'sandbox',
    });
  });

  it('never send a real key to the sandbox', () => {
    const real = settings({ SANDBOX_URL: 'http://127.0.0.1:4010', ANTHROPIC_API_KEY: 'sk-real' });
    expect(real).toEqual({ baseUrl: 'https://api.anthropic.com', sharedKey: 'sk-real' });
  });

  it('keep to an address that is given', () => {
    expect(settings({ ANTHROPIC_BASE_URL: 'https://gateway.example/ai' }).baseUrl).toBe('https://gateway.example/ai');
  });
});
