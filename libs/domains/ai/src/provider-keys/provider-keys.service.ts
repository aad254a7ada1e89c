import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { SecretBox, SecretRedactor, SecretUnreadableError } from '@platform/secrets';
import { providerSettings } from './provider-settings';

/** Maximum number of cached keys; each one saves a decryption. */
const MAX_CACHED = 10_000;

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
    this.sharedKey = providerSettings(config).sharedKey ?? '';
  }

  /** Whether customers without a key of their own have one. */
  get hasShared(): boolean {
    return this.sharedKey !== '';
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

  /** Whether a stored key opens under SECRETS_KEY or FORMER_SECRETS_KEY. */
  canOpen(customerId: string, ciphertext: Buffer): boolean {
    try {
      this.secrets.open(ciphertext, purposeOf(customerId));
      return true;
    } catch (error) {
      if (error instanceof SecretUnreadableError) return false;
      throw error;
    }
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

/** The purpose that a customer's key is sealed for: no other customer's key opens in its place. */
function purposeOf(customerId: string): string {
  return `ai-key:${customerId}`;
}
