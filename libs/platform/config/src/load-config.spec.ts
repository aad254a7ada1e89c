import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from './load-config';
import { configSchema } from './schema';

const SECRETS_KEY = randomBytes(32).toString('base64');
const production = { NODE_ENV: 'production', DATABASE_URL: 'postgres://api@db/account', SECRETS_KEY };

describe('loadConfig', () => {
  it('needs nothing outside production', () => expect(loadConfig({}).NODE_ENV).toBe('development'));

  it('takes addresses with and without a slash at the end', () => {
    const config = loadConfig({ PUBLIC_URL: 'https://api.example.com/', FIKEN_URL: 'https://api.fiken.no/api/v2/' });
    expect(config).toMatchObject({ PUBLIC_URL: 'https://api.example.com', FIKEN_URL: 'https://api.fiken.no/api/v2' });
  });

  it.each(['', ' ', '\t\n'])('counts a blank variable as unset: %j', (blank) => {
    const given = {
      PORT: blank,
      SHUTDOWN_GRACE_MS: blank,
      REDIS_URL: blank,
      LOG_LEVEL: blank,
      SECRETS_KEY_FILE: blank,
    };
    expect(loadConfig(given)).toEqual(loadConfig({}));
  });

  it('names every setting that is wrong, a line each, and never a value', () => {
    const load = () => loadConfig({ PORT: 'abc', LOG_LEVEL: 'loud', SECRETS_KEY: 'hunter2' });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/^PORT: .*\nLOG_LEVEL: [^\n]*$/m);
    expect(load).not.toThrow(/hunter2|loud/);
  });

  it.each([
    ['PORT', 'abc', 'must be a port number from 0 to 65535'],
    ['PORT', '70000', 'must be a port number from 0 to 65535'],
    ['DATABASE_POOL_SIZE', '-1.5', 'must be a whole number from 1 to 2147483647'],
    ['SHUTDOWN_GRACE_MS', '-1', 'must be a whole number from 0 to 1000000000'],
    ['AI_USAGE_RETENTION_MONTHS', '2', 'must be 0, or a whole number from 3 to 1200'],
    ['AI_USAGE_RETENTION_MONTHS', '-1', 'must be 0, or a whole number from 3 to 1200'],
    ['PARTITION_MONTHS_AHEAD', '25', 'must be a whole number from 1 to 24'],
    ['UPSTREAM_BREAKER_SPREAD_MS', '-1', 'must be a whole number from 0 to 1000000000'],
    ['AI_EXAMPLE_NOK_PER_USD', 'ten', 'must be a number above 0'],
    ['DEMO_CUSTOMER', 'yes', 'must be true or false'],
    ['LOG_LEVEL', 'loud', 'must be one of fatal, error, warn, info, debug, trace, silent'],
    ['PUBLIC_URL', 'localhost', 'must be an address such as https://example.com'],
    ['PUBLIC_URL', 'https://example.com/?a=1', 'must end with its path: nothing behind a ? or #'],
    ['FIKEN_URL', 'https://example.com/api#v2', 'must end with its path: nothing behind a ? or #'],
    ['ANTHROPIC_BASE_URL', 'gateway.internal:8080', 'must be an address such as https://example.com'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must be an address such as https://example.com'],
    ['STRIPE_URL', 'ftp://example.com', 'must be an address such as https://example.com'],
    ['SANDBOX_URL', 'http:sandbox', 'must be an address such as https://example.com'],
    ['DATABASE_URL', 'mysql://a', 'must be a postgres:// address'],
    ['REDIS_URL', 'https://valkey', 'must be a redis:// address'],
    ['BILLING_TIMEZONE', 'Oslo', 'must be an IANA time zone'],
    ['TRUST_PROXY', 'proxy.example', 'must be addresses or ranges such as 10.0.0.0/8, separated by commas'],
    ['STRIPE_PDF_HOSTS', 'stripe.com,x y,y z', 'must be names of hosts such as stripe.com, separated by commas'],
    ['SMS_COUNTRIES', 'NO,47,46', 'must be ISO 3166 codes such as NO,SE'],
    ['TRUST_PROXY', '10.0.0.1,', 'must be addresses or ranges such as 10.0.0.0/8, separated by commas'],
    ['TRUST_PROXY', '10.0.0.0/33', 'must be addresses or ranges such as 10.0.0.0/8, separated by commas'],
    ['TRUST_PROXY', 'fc00::/0', 'must be addresses or ranges such as 10.0.0.0/8, separated by commas'],
  ])('says in plain words what is wrong with %s=%s', (name, value, words) => {
    expect(() => loadConfig({ [name]: value })).toThrow(new Error(`${name}: ${words}`));
  });

  it('takes addresses and ranges of proxies, and names of ranges', () => {
    const TRUST_PROXY = 'uniquelocal, 192.0.2.1, 10.0.0.0/8, 10.0.0.0/255.0.0.0, ::1, fc00::/7';
    expect(loadConfig({ TRUST_PROXY })).toMatchObject({ TRUST_PROXY });
  });

  /** The largest value of a setting: of counts, what an integer of the database takes. */
  const mostOf = (name: string) => {
    if (name.endsWith('_MS')) return 1_000_000_000;
    if (name.endsWith('_DAYS')) return 36_500;
    if (name.endsWith('_MONTHS')) return 1200;
    if (name.endsWith('PORT')) return 65_535;
    if (name.includes('BYTES')) return Number.MAX_SAFE_INTEGER;
    return (
      new Map([
        ['PARTITION_MONTHS_AHEAD', 24],
        ['INVOICE_SYNC_MINUTES', 45],
      ]).get(name) ?? 2_147_483_647
    );
  };
  /** Names of the settings that are whole numbers: no other is 7 where 7 is given, and refuses 7.5. */
  const counts = Object.entries(configSchema.shape)
    .filter(([, schema]) => schema.safeParse('7').data === 7 && !schema.safeParse('7.5').success)
    .map(([name]) => name);

  it('knows the whole numbers among the settings', () => {
    expect(counts).toEqual(
      expect.arrayContaining(['PORT', 'AI_CONTEXT_TOKENS', 'SHUTDOWN_GRACE_MS', 'LOG_RETENTION_DAYS', 'SMS_DAILY_CAP']),
    );
  });

  it.each(counts)('takes %s up to a bound that timers and the database take too', (name) => {
    const most = mostOf(name);
    expect(loadConfig({ [name]: String(most) })).toMatchObject({ [name]: most });
    expect(() => loadConfig({ [name]: String(most + 1) })).toThrow(new RegExp(`^${name}: must be [^\n]* ${most}$`));
    expect(() => loadConfig({ [name]: '1e300' })).toThrow(new RegExp(`^${name}: must be [^\n]* ${most}$`));
  });

  describe('in production', () => {
    it('takes a database and a strong key', () => expect(loadConfig(production).SECRETS_KEY).toBe(SECRETS_KEY));

    it.each([
      ['no database', { DATABASE_URL: '' }, 'DATABASE_URL'],
      ['no key', { SECRETS_KEY: '' }, 'SECRETS_KEY'],
      ['a short key', { SECRETS_KEY: 'c2hvcnQ=' }, 'SECRETS_KEY'],
      ['a key of zeros', { SECRETS_KEY: Buffer.alloc(32).toString('base64') }, 'SECRETS_KEY'],
      ['the sandbox', { SANDBOX_URL: 'http://127.0.0.1:9' }, 'SANDBOX_URL'],
      ['the demo customer', { DEMO_CUSTOMER: 'true' }, 'DEMO_CUSTOMER'],
      ['webhooks into its own network', { WEBHOOK_ALLOW_PRIVATE: 'true' }, 'WEBHOOK_ALLOW_PRIVATE'],
      ['a console without TLS', { OPERATOR_URL: 'http://console.example' }, 'OPERATOR_URL'],
      ['a console without TLS, in capitals', { OPERATOR_URL: 'HTTP://console.example' }, 'OPERATOR_URL'],
      ['a console at no address', { OPERATOR_URL: 'http://' }, 'OPERATOR_URL'],
    ])('refuses %s in one line', (_name, change, setting) => {
      expect(() => loadConfig({ ...production, ...change })).toThrow(new RegExp(`^${setting}: [^\n]+$`));
    });

    it.each(['https://console.example', 'HTTPS://console.example', 'http://localhost:3001', 'HTTP://LOCALHOST:3001'])(
      'takes the console at %s',
      (OPERATOR_URL) => expect(loadConfig({ ...production, OPERATOR_URL })).toMatchObject({ OPERATOR_URL }),
    );
  });

  describe('with a setting in a file', () => {
    let folder: string;
    beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'config-'))));
    afterAll(() => rmSync(folder, { recursive: true }));

    it('reads it, without the line end', () => {
      writeFileSync(join(folder, 'key'), `${SECRETS_KEY}\n`);
      expect(loadConfig({ SECRETS_KEY_FILE: join(folder, 'key') }).SECRETS_KEY).toBe(SECRETS_KEY);
    });

    it('counts a blank file as unset', () => {
      writeFileSync(join(folder, 'blank'), ' \n');
      expect(loadConfig({ PORT_FILE: join(folder, 'blank') }).PORT).toBe(3000);
    });

    it('prefers the setting itself', () => {
      writeFileSync(join(folder, 'port'), '4000');
      expect(loadConfig({ PORT: '5000', PORT_FILE: join(folder, 'port') }).PORT).toBe(5000);
    });

    it('says which file is missing', () => {
      expect(() => loadConfig({ SECRETS_KEY_FILE: join(folder, 'none') })).toThrow('SECRETS_KEY_FILE:');
    });
  });
});
