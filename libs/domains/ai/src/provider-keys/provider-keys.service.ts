import { Injectable } from '@nestjs/common';
import { AppConfig, orSandbox, SANDBOX_CREDENTIAL } from '@platform/config';
import { clientSettings, DeadlineClient } from '@platform/database';
import { SecretBox, SecretRedactor, SecretUnreadableError } from '@platform/secrets';

const PUBLIC_ADDRESS = 'https://api.anthropic.com';
/** Maximum number of cached keys; each one saves a decryption. */
const MAX_CACHED = 10_000;

/** Address of the AI provider, and the key for customers without their own. */
export interface UpstreamSettings {
  baseUrl: string;
  sharedKey?: string;
}

/** The configured provider; without one, the sandbox, if it runs. */
export function upstreamSettings(config: AppConfig): UpstreamSettings {
  const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY: sharedKey } = config;
  const provider = { baseUrl: ANTHROPIC_BASE_URL ?? PUBLIC_ADDRESS, sharedKey };
  const configured = ANTHROPIC_BASE_URL === undefined && sharedKey === undefined ? undefined : provider;
  const inSandbox = (url: string) => ({ baseUrl: `${url}/anthropic`, sharedKey: SANDBOX_CREDENTIAL });
  return orSandbox(configured, config, inSandbox) ?? provider;
}

/** Customers' provider keys, which are stored encrypted. */
@Injectable()
export class ProviderKeysService {
  private readonly sharedKey: string;
  /** Decrypted keys by customer and ciphertext. */
  private readonly cached = new Map<string, string>();

  constructor(
    private readonly secrets: SecretBox,
    config: AppConfig,
    private readonly redactor: SecretRedactor,
  ) {
    this.sharedKey = upstreamSettings(config).sharedKey ?? '';
  }

  /** Encrypts a customer's key for storage. */
  seal(customerId: string, apiKey: string): Buffer {
    return this.secrets.seal(apiKey, purposeOf(customerId));
  }

  /**
   * Returns the same key under the present SECRETS_KEY; undefined if it is already. @throws SecretUnreadableError
   */
  renew(customerId: string, ciphertext: Buffer): Buffer | undefined {
    const purpose = purposeOf(customerId);
    if (this.secrets.isPresent(ciphertext, purpose)) return undefined;
    return this.secrets.seal(this.secrets.open(ciphertext, purpose), purpose);
  }

  /** The key for a call: the customer's own, or the service-wide one. @throws SecretUnreadableError */
  keyFor(customerId: string, ciphertext: Buffer | null): string {
    if (!ciphertext) return this.sharedKey;
    // With the ciphertext in its name, a changed key is never served from the cache.
    const name = `${customerId}${ciphertext.toString('base64')}`;
    const known = this.cached.get(name);
    if (known !== undefined) return known;
    const apiKey = this.secrets.open(ciphertext, purposeOf(customerId));
    if (this.cached.size >= MAX_CACHED) this.cached.clear();
    this.redactor.use(apiKey);
    this.cached.set(name, apiKey);
    return apiKey;
  }
}

/** Numbers of the customers' own provider keys. */
export interface KeyCount {
  stored: number;
  /** Those that open under neither SECRETS_KEY nor FORMER_SECRETS_KEY. */
  unreadable: number;
}

/** Tells whether SECRETS_KEY fits the data, on a connection of its own. @throws the driver's error */
export async function countUnreadableKeys(config: AppConfig): Promise<KeyCount> {
  const client = new DeadlineClient(clientSettings(config, 'account_operator'));
  await client.connect();
  try {
    const { rows } = await client.query<{ customerId: string; sealed: Buffer }>(
      `select customer_id as "customerId", key_ciphertext as sealed from ai_settings where key_ciphertext is not null`,
    );
    const box = new SecretBox(config);
    const unreadable = rows.filter(({ customerId, sealed }) => !opens(box, customerId, sealed));
    return { stored: rows.length, unreadable: unreadable.length };
  } finally {
    await client.end();
  }
}

function opens(box: SecretBox, customerId: string, sealed: Buffer): boolean {
  try {
    box.open(sealed, purposeOf(customerId));
    return true;
  } catch (error) {
    if (error instanceof SecretUnreadableError) return false;
    throw error;
  }
}

/** The purpose that a customer's key is sealed for: no other customer's key opens in its place. */
function purposeOf(customerId: string): string {
  return `ai-key:${customerId}`;
}
