import { randomBytes } from 'node:crypto';
import { configuredSecrets, loadConfig, orSandbox } from '@platform/config';

/** Bounds of the settings, defaults with a meaning, and what is refused in production. */
describe('The configuration', () => {
  const accepts = (name: string, value: string) => {
    try {
      return loadConfig({ [name]: value })[name as 'PORT'];
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    // name, the least, what is below it, the greatest and what is above it if there is one
    ['PORT', '0', '-1', '65535', '65536'],
    ['SHUTDOWN_GRACE_MS', '0', '-1'],
    ['SMS_DAILY_CAP', '0', '-1'],
    ['AI_RETRIES', '0', '-1'],
    ['UPSTREAM_BREAKER_SPREAD_MS', '0', '-1'],
    ['DATABASE_POOL_SIZE', '1', '0'],
    ['INVOICE_SYNC_MINUTES', '1', '0', '45', '46'],
    ['UPSTREAM_BREAKER_FAILURES', '1', '0'],
    ['RATE_LIMIT_REQUESTS_PER_MINUTE', '1', '0'],
    ['PARTITION_MONTHS_AHEAD', '1', '0', '24', '25'],
    ['OTEL_TRACES_SAMPLER_ARG', '0.001', '0', '1', '1.001'],
    ['AI_EXAMPLE_NOK_PER_USD', '0.01', '0'],
  ])('bounds %s', (name, least, below, greatest = least, above = below) => {
    expect(accepts(name, least)).toBe(Number(least));
    expect(accepts(name, greatest)).toBe(Number(greatest));
    for (const value of [below, above, 'many', '1e400']) expect(accepts(name, value)).toMatch(new RegExp(`^${name}: `));
  });

  it.each(['AI_USAGE', 'AI_LEDGER', 'SMS', 'AUDIT'].map((kind) => `${kind}_RETENTION_MONTHS`))(
    'keeps rows for ever or for three months at least: %s',
    (name) => {
      expect(accepts(name, '0')).toBe(0);
      expect(accepts(name, '3')).toBe(3);
      for (const value of ['1', '2', '-3', '3.5']) expect(accepts(name, value)).toMatch(`${name}: must be `);
    },
  );

  it('reads lists', () => {
    const { SMS_COUNTRIES, STRIPE_PDF_HOSTS } = loadConfig({
      SMS_COUNTRIES: ' no, SE ,,dk',
      STRIPE_PDF_HOSTS: 'Stripe.com, files.example.com',
    });
    expect(SMS_COUNTRIES).toEqual(['NO', 'SE', 'DK']);
    expect(STRIPE_PDF_HOSTS).toEqual(['stripe.com', 'files.example.com']);
    expect(loadConfig({}).SMS_COUNTRIES).toEqual([]);
    expect(accepts('SMS_COUNTRIES', 'NOR')).toMatch('ISO 3166');
    expect(accepts('STRIPE_PDF_HOSTS', 'stripe.com,no host')).toMatch('STRIPE_PDF_HOSTS');
  });

  it.each([
    ['DATABASE_URL', ['postgres://db/a', 'postgresql://db/a'], ['mysql://db/a', 'http://postgres://']],
    ['REDIS_URL', ['redis://r', 'rediss://r'], ['http://r', 'memcached://redis://']],
    ['DEMO_CUSTOMER', ['true', 'false'], ['yes', '1']],
    ['BILLING_TIMEZONE', ['Europe/Oslo', 'UTC', 'America/New_York'], ['Oslo', 'GMT+1']],
  ])('takes one form of %s', (name, accepted, refused) => {
    for (const value of accepted) expect(String(accepts(name, value))).toBe(value);
    for (const value of refused) expect(accepts(name, value)).toMatch(`${name}: must be `);
  });

  it('reads the names of Valkey as those of Redis, which the driver knows', () => {
    expect(accepts('REDIS_URL', 'valkey://valkey:6379/1')).toBe('redis://valkey:6379/1');
    expect(accepts('REDIS_URL', 'valkeys://r')).toBe('rediss://r');
  });

  it("takes the address of an identity provider as it is written, as it is compared with the provider's own", () => {
    for (const issuer of ['https://id.example/app/', 'https://id.example/app']) {
      const settings = { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_CLIENT_ID: 'console' };
      expect(loadConfig(settings).OPERATOR_OIDC_ISSUER).toBe(issuer);
    }
  });

  it('asks for no less of the former key than of the present one', () => {
    const [weak, strong] = [Buffer.alloc(32, 7).toString('base64'), randomBytes(32).toString('base64')];
    for (const name of ['SECRETS_KEY', 'FORMER_SECRETS_KEY']) {
      expect(accepts(name, strong)).toBe(strong);
      for (const key of [weak, randomBytes(31).toString('base64'), randomBytes(33).toString('base64'), `${strong} `])
        expect(accepts(name, key)).toMatch(`${name}: must be 32 random bytes`);
    }
  });

  it('names each fault of a production at once', () => {
    const load = () => loadConfig({ NODE_ENV: 'production', DEMO_CUSTOMER: 'true', SANDBOX_URL: 'http://127.0.0.1:9' });
    let lines: string[] = [];
    try {
      load();
    } catch (error) {
      lines = (error as Error).message.split('\n');
    }
    expect(lines.map((line) => line.replace(/:.*/, ''))).toEqual([
      ...['DATABASE_URL', 'SECRETS_KEY', 'SANDBOX_URL', 'DEMO_CUSTOMER'],
    ]);
    for (const line of lines) expect(line).toMatch(/: \S.+ when NODE_ENV=production$/);
  });

  it('reaches an upstream as configured, else in the sandbox, else not', () => {
    const sandbox = { SANDBOX_URL: 'http://sandbox' };
    const toSandbox = (address: string) => ({ url: `${address}/there` });
    const configured = { url: 'http://configured' };
    expect(orSandbox(configured, sandbox, toSandbox)).toEqual({ url: 'http://configured', inSandbox: false });
    expect(orSandbox(undefined, sandbox, toSandbox)).toEqual({ url: 'http://sandbox/there', inSandbox: true });
    expect(orSandbox(undefined, { SANDBOX_URL: undefined }, toSandbox)).toBeUndefined();
  });

  it('knows the secrets within it, in each form in which they are sent', () => {
    const secrets = configuredSecrets(
      loadConfig({
        LINK_USERNAME: 'acme',
        LINK_PASSWORD: 'p:w',
        FIKEN_TOKEN: 'token-of-fiken',
        STRIPE_SECRET_KEY: 'sk_live_1',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x',
        REDIS_URL: 'redis://user:100%@valkey:6379',
      }),
    );
    expect(secrets.sort()).toEqual(
      [
        ...['p:w', Buffer.from('acme:p:w').toString('base64'), 'token-of-fiken', 'sk_live_1'],
        ...['authorization=Bearer%20x', '100%'],
      ].sort(),
    );
  });
});
