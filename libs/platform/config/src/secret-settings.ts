import type { AppConfig } from './schema';

/** Settings whose value is a secret. Addresses can contain a password, too. */
export const SECRET_SETTINGS = [
  'SECRETS_KEY',
  'FORMER_SECRETS_KEY',
  'ANTHROPIC_API_KEY',
  'ELKS_PASSWORD',
  'LINK_PASSWORD',
  'STRIPE_SECRET_KEY',
  'FIKEN_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OPERATOR_OIDC_CLIENT_SECRET',
] as const satisfies (keyof AppConfig)[];

/** User names that are sent together with a password (RFC 7617). */
const BASIC_CREDENTIALS = [
  ['ELKS_USERNAME', 'ELKS_PASSWORD'],
  ['LINK_USERNAME', 'LINK_PASSWORD'],
] as const satisfies (keyof AppConfig)[][];

/** All configured secrets, including passwords within addresses and encoded credentials. */
export function configuredSecrets(config: AppConfig): string[] {
  const secrets = SECRET_SETTINGS.map((name) => config[name]);
  const basic = BASIC_CREDENTIALS.map(([user, password]) =>
    config[password] === undefined ? undefined : base64(`${config[user] ?? ''}:${config[password]}`),
  );
  const addresses = Object.values(config).map((value) => (typeof value === 'string' ? passwordOf(value) : undefined));
  return [...secrets, ...basic, ...addresses].filter((secret) => secret !== undefined && secret !== '') as string[];
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function passwordOf(address: string): string | undefined {
  const password = URL.parse(address)?.password;
  if (!password) return undefined;
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
