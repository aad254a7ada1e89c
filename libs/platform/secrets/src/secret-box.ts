import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** For whoever wanted a secret to be stored: a customer, or a person of the operator. */
const NO_KEY = 'The service can keep no secrets: its operator has not set SECRETS_KEY';

/** A secret cannot be decrypted: no SECRETS_KEY, another one, or damaged data. */
export class SecretUnreadableError extends Error {}

/**
 * Encrypts secrets for storage, with AES-256-GCM under SECRETS_KEY. Decrypts those of FORMER_SECRETS_KEY too, so that the
 * key can be replaced while the service runs. The purpose of a secret is authenticated with it,
 * so one customer's ciphertext cannot be used for another.
 */
@Injectable()
export class SecretBox {
  /** The present key, which seals, and the former one. */
  private readonly keys: Buffer[];

  constructor({ SECRETS_KEY, FORMER_SECRETS_KEY }: AppConfig) {
    const given = SECRETS_KEY === undefined ? [] : [SECRETS_KEY, FORMER_SECRETS_KEY];
    this.keys = given.filter((key) => key !== undefined).map((key) => Buffer.from(key, 'base64'));
  }

  /**
   * Encrypts. `purpose` names the kind and owner of the secret, such as `ai-key:<customer id>`. @throws ServiceError
   * service_unavailable if SECRETS_KEY is not set
   */
  seal(secret: string, purpose: string): Buffer {
    const [key] = this.keys;
    if (!key) throw new ServiceError('service_unavailable', NO_KEY);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), text]);
  }

  /** Decrypts a result of `seal` for the same purpose. @throws SecretUnreadableError */
  open(sealed: Buffer, purpose: string): string {
    this.presentKey();
    if (sealed.length < 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== VERSION)
      throw new SecretUnreadableError('Not a sealed secret');
    for (const key of this.keys) {
      const text = openWith(key, sealed, purpose);
      if (text !== undefined) return text;
    }
    throw new SecretUnreadableError('The secret opens neither under SECRETS_KEY nor under FORMER_SECRETS_KEY');
  }

  /** Whether it was sealed under the present SECRETS_KEY. */
  isPresent(sealed: Buffer, purpose: string): boolean {
    return openWith(this.presentKey(), sealed, purpose) !== undefined;
  }

  private presentKey(): Buffer {
    const [key] = this.keys;
    if (!key) throw new SecretUnreadableError('SECRETS_KEY is not set');
    return key;
  }
}

/** Undefined if it was sealed under another key or for another purpose, or is damaged. */
function openWith(key: Buffer, sealed: Buffer, purpose: string): string | undefined {
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
  try {
    const text = [decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(text).toString('utf8');
  } catch {
    return undefined;
  }
}
