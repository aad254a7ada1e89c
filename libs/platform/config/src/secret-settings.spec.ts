import { randomBytes } from 'node:crypto';
import { loadConfig } from './load-config';
import { configSchema } from './schema';
import { configuredSecrets, SECRET_SETTINGS } from './secret-settings';

describe('the secret settings', () => {
  it('are all that are described as secret, or are called so', () => {
    const secret = Object.entries(configSchema.shape)
      .filter(([name, schema]) => (schema.description ?? '').endsWith('secret') || /(KEY|TOKEN|PASSWORD)$/.test(name))
      .map(([name]) => name);
    expect([...SECRET_SETTINGS].sort()).toEqual(secret.sort());
  });
});

describe('configuredSecrets', () => {
  it('are none when nothing is configured', () => expect(configuredSecrets(loadConfig({}))).toEqual([]));

  it('are the values, passwords within addresses, and credentials as they are sent', () => {
    const key = randomBytes(32).toString('base64');
    const config = loadConfig({
      SECRETS_KEY: key,
      ANTHROPIC_API_KEY: 'sk-ant-1',
      ELKS_USERNAME: 'user',
      ELKS_PASSWORD: 'pass',
      DATABASE_URL: 'postgres://api:p%40ss@db/account',
      REDIS_URL: 'redis://valkey:6379',
    });
    const basic = Buffer.from('user:pass').toString('base64');
    expect(configuredSecrets(config).sort()).toEqual([key, 'sk-ant-1', 'pass', basic, 'p@ss'].sort());
  });
});
