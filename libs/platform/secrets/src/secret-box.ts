import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A secret cannot be decrypted: no SECRETS_KEY, another one, or damaged data. */
export class SecretUnreadableError extends Error {}

/**
 * Encrypts secrets for storage, with AES-256-GCM under SECRETS_KEY. The purpose of a secret is authenticated with it,
 * so one customer's ciphertext cannot be used for another.
 */
@Injectable()
export class SecretBox {
  private readonly key?: Buffer;

  constructor({ SECRETS_KEY }: AppConfig) {
    if (SECRETS_KEY !== undefined) this.key = Buffer.from(SECRETS_KEY, 'base64');
  }

  /**
   * Encrypts. `purpose` names the kind and owner of the secret, such as `ai-key:<customer id>`. @throws if SECRETS_KEY
   * is not set
   */
  seal(secret: string, purpose: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.requireKey(), nonce).setAAD(Buffer.from(purpose));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), text]);
  }

  /** Decrypts a result of `seal` for the same purpose. @throws SecretUnreadableError */
  open(sealed: Buffer, purpose: string): string {
    const key = this.requireKey();
    if (sealed.length < 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== VERSION)
      throw new SecretUnreadableError('Not a sealed secret');
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      );
    } catch (error) {
      throw new SecretUnreadableError('The secret does not open under SECRETS_KEY', { cause: error });
    }
  }

  private requireKey(): Buffer {
    if (!this.key) throw new SecretUnreadableError('SECRETS_KEY is not set');
    return this.key;
  }
}
