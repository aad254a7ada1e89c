import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { SecretBox, SecretRedactor } from '@platform/secrets';
import { upstreamSettings } from '../adapters/messages-api/upstream-settings';
import { keyPurpose } from './key-purpose';

/** Maximum number of cached keys; each one saves a decryption. */
const MAX_KEPT = 10_000;

/** Customers' provider keys, which are stored encrypted. */
@Injectable()
export class ProviderKeysService {
  private readonly kept = new Map<string, string>();

  constructor(
    private readonly secrets: SecretBox,
    private readonly config: AppConfig,
    private readonly redactor: SecretRedactor,
  ) {}

  /** Encrypts a customer's key for storage. */
  seal(customerId: string, apiKey: string): Buffer {
    return this.secrets.seal(apiKey, keyPurpose(customerId));
  }

  /**
   * The same key under the present SECRETS_KEY; undefined if it is already. @throws SecretUnreadableError
   */
  renew(customerId: string, ciphertext: Buffer): Buffer | undefined {
    const purpose = keyPurpose(customerId);
    if (this.secrets.isPresent(ciphertext, purpose)) return undefined;
    return this.secrets.seal(this.secrets.open(ciphertext, purpose), purpose);
  }

  /** The key for a call: the customer's own, or the service-wide one. @throws SecretUnreadableError */
  keyFor(customerId: string, ciphertext: Buffer | null): string {
    if (!ciphertext) return upstreamSettings(this.config).sharedKey ?? '';
    // The ciphertext is part of the cache key: a changed key is never served from the cache.
    const name = `${customerId}${ciphertext.toString('base64')}`;
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    const apiKey = this.secrets.open(ciphertext, keyPurpose(customerId));
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    this.redactor.use(apiKey);
    this.kept.set(name, apiKey);
    return apiKey;
  }
}
