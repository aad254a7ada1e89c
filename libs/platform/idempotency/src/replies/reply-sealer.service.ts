import { createCipheriv, createDecipheriv, createHash, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { SecretUnreadableError } from '@platform/secrets';
import type { RequestKey } from '../request-key';
import { compress, decompress } from './compression';
import { decodeReply, encodeReply, type KeptReply } from './kept-reply';
import { Nonces } from './nonces';

const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;
const COUNTER = Buffer.of(0, 0, 0, 1);
/** Largest reply that is kept, after compression. */
const MOST_BYTES = 2 * 1024 * 1024;

/** A reply as it is stored. */
export interface SealedReply {
  /** Names the SECRETS_KEY that it is encrypted under. */
  secretsKey: string;
  body: Buffer;
}

/** A value of SECRETS_KEY, and its name. */
interface Secret {
  name: string;
  key: Buffer;
}

/**
 * Compresses and encrypts replies, each under a key of its own that is derived from SECRETS_KEY and the
 * caller's Idempotency-Key. Neither the database with SECRETS_KEY nor the database with the caller's key reveals a reply.
 */
@Injectable()
export class ReplySealerService {
  private readonly secrets: [Secret, ...Secret[]];
  private readonly nonces = new Nonces();

  constructor({ SECRETS_KEY, FORMER_SECRETS_KEY }: AppConfig) {
    const former = FORMER_SECRETS_KEY === undefined ? [] : [secretOf(FORMER_SECRETS_KEY)];
    this.secrets = [secretOf(SECRETS_KEY), ...former];
  }

  /** @returns undefined if the reply is too large to be kept */
  async seal(request: RequestKey, reply: KeptReply): Promise<SealedReply | undefined> {
    const text = await compress(encodeReply(reply));
    if (text.length > MOST_BYTES) return undefined;
    const [secret] = this.secrets;
    const nonce = this.nonces.next();
    const cipher = createCipheriv(CIPHER, keyFor(secret, request), nonce);
    const body = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return { secretsKey: secret.name, body };
  }

  /** @throws SecretUnreadableError if it was sealed under a SECRETS_KEY that this process does not have */
  async open(request: RequestKey, { secretsKey, body }: SealedReply): Promise<KeptReply> {
    const secret = this.secrets.find(({ name }) => name === secretsKey);
    if (!secret) throw new SecretUnreadableError(`The reply was encrypted under another SECRETS_KEY (${secretsKey})`);
    const decipher = createDecipheriv(CIPHER, keyFor(secret, request), body.subarray(0, Nonces.bytes), {
      authTagLength: TAG_BYTES,
    }).setAuthTag(body.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(body.subarray(Nonces.bytes, -TAG_BYTES)), decipher.final()]);
    return decodeReply(await decompress(text));
  }
}

/** Without SECRETS_KEY, as in development, only the caller's key protects a reply. */
function secretOf(setting = ''): Secret {
  const key = Buffer.from(setting, 'base64');
  return { key, name: createHash('sha256').update('name of SECRETS_KEY').update(key).digest('hex').slice(0, 16) };
}

/**
 * One-step key derivation (NIST SP 800-56C): a single hash, a tenth of what Node's HKDF takes. As a key object: what is none
 * yet is accepted as a key only after all else that it could be was tried.
 */
function keyFor({ key }: Secret, { customerId, key: callers }: RequestKey): KeyObject {
  const secrets = [key, Buffer.from(`${callers}\n${customerId} idempotent reply`)];
  return createSecretKey(hash('sha256', Buffer.concat([COUNTER, ...secrets]), 'buffer'));
}
