import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hash,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createInflateRaw, deflateRaw, deflateRawSync, inflateRaw, type ZlibOptions } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { SecretUnreadableError } from '@platform/secrets';
import type { RequestKey } from './request-key';

/** A reply that is sent again. */
export interface KeptReply {
  status: number;
  /** Headers that belong to the body, such as its content type; names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
}

/** A kept reply that was opened: a large one is decompressed while it is sent. */
export interface OpenedReply extends Omit<KeptReply, 'body'> {
  body: Buffer | KeptStream;
}

/** The body of a large reply. */
export interface KeptStream {
  content: Readable;
  /** Bytes that it holds until it is read. */
  heldBytes: number;
}

/** Nonces that are drawn at once: drawing a few bytes takes nearly as long as drawing some thousand. */
const DRAWN = 256;

/** Random nonces for AES-GCM, each given out once. */
class Nonces {
  static readonly bytes = 12;
  private readonly drawn = Buffer.alloc(DRAWN * Nonces.bytes);
  private used = DRAWN;

  /** The next nonce, a copy: what was drawn is overwritten later. */
  next(): Buffer {
    if (this.used === DRAWN) {
      randomFillSync(this.drawn);
      this.used = 0;
    }
    const at = this.used++ * Nonces.bytes;
    return Buffer.from(this.drawn.subarray(at, at + Nonces.bytes));
  }
}

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
 * caller's Idempotency-Key. Neither the database with SECRETS_KEY nor the database with the caller's key reveals a reply,
 * unless the caller's key can be guessed, such as a number: its hash is in the database.
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
  async open(request: RequestKey, { secretsKey, body }: SealedReply): Promise<OpenedReply> {
    const secret = this.secrets.find(({ name }) => name === secretsKey);
    if (!secret) throw new SecretUnreadableError(`The reply was encrypted under another SECRETS_KEY (${secretsKey})`);
    const decipher = createDecipheriv(CIPHER, keyFor(secret, request), body.subarray(0, Nonces.bytes), {
      authTagLength: TAG_BYTES,
    }).setAuthTag(body.subarray(-TAG_BYTES));
    const text = decipher.update(body.subarray(Nonces.bytes, -TAG_BYTES));
    // Throws if anything was changed. There is no last block to be added.
    decipher.final();
    return decompress(text);
  }
}

/** Without SECRETS_KEY, as in development, only the caller's key protects a reply. */
function secretOf(setting = ''): Secret {
  const key = Buffer.from(setting, 'base64');
  return { key, name: createHash('sha256').update('name of SECRETS_KEY').update(key).digest('hex').slice(0, 16) };
}

/**
 * One-step key derivation (NIST SP 800-56C): a single hash, a tenth of what Node's HKDF takes. As a
 * KeyObject: Node takes raw bytes for a key only after it has tried every other form of one.
 */
function keyFor({ key }: Secret, { customerId, key: callers }: RequestKey): KeyObject {
  const secrets = [key, Buffer.from(`${callers}\n${customerId} idempotent reply`)];
  return createSecretKey(hash('sha256', Buffer.concat([COUNTER, ...secrets]), 'buffer'));
}

const HEAD_END = 0x0a;

/** The reply as one text: status and headers in a first line, then the body. */
function encodeReply({ status, headers, body }: KeptReply): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ status, headers })}\n`), body]);
}

function decodeReply(bytes: Buffer): KeptReply {
  const end = bytes.indexOf(HEAD_END);
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<KeptReply, 'body'>;
  return { ...head, body: bytes.subarray(end + 1) };
}

/** Smaller texts gain less than the compression costs. */
const SMALL_BYTES = 1024;
/** Larger texts are compressed by another thread. */
const LARGE_BYTES = 64 * 1024;
const FAST = { level: constants.Z_BEST_SPEED };
const PLAIN = 0;
const DEFLATED = 1;

const deflate = promisify<Buffer, typeof FAST, Buffer>(deflateRaw);
const inflate = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

/** Compresses a text, if it is worth it. */
async function compress(text: Buffer): Promise<Buffer> {
  if (text.length < SMALL_BYTES) return Buffer.concat([Buffer.of(PLAIN), text]);
  const deflated = text.length < LARGE_BYTES ? deflateRawSync(text, FAST) : await deflate(text, FAST);
  return Buffer.concat([Buffer.of(DEFLATED), deflated]);
}

/** Larger replies are decompressed piece by piece: a text of a few kB may have been 14 MB. */
const WHOLE_BYTES = 256 * 1024;

/** The reply whose text was given to {@link compress}. */
async function decompress(bytes: Buffer): Promise<OpenedReply> {
  const content = bytes.subarray(1);
  if (bytes[0] !== DEFLATED) return decodeReply(content);
  try {
    return decodeReply(await inflate(content, { maxOutputLength: WHOLE_BYTES }));
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return decompressInPieces(content);
  }
}

function isTooLarge(error: unknown): boolean {
  return Error.isError(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

async function decompressInPieces(content: Buffer): Promise<OpenedReply> {
  const text = createInflateRaw();
  text.end(content);
  const begun: Buffer[] = [];
  for (;;) {
    const piece = text.read() as Buffer | null;
    if (piece === null) {
      await once(text, 'readable');
      continue;
    }
    begun.push(piece);
    if (!piece.includes(HEAD_END)) continue;
    const { body, ...head } = decodeReply(Buffer.concat(begun));
    text.unshift(body);
    return { ...head, body: { content: text, heldBytes: content.length } };
  }
}

/** The reply that is stored under a key. @throws ServiceError idempotency_reply_not_kept */
export async function openKeptReply(
  sealer: ReplySealerService,
  request: RequestKey,
  { reply, secretsKey, effectId = null }: { reply: Buffer | null; secretsKey: string | null; effectId?: string | null },
): Promise<OpenedReply> {
  if (!reply) throw notKept('was too large to be kept, or there was no room to keep it', effectId);
  try {
    return await sealer.open(request, { secretsKey: secretsKey ?? '', body: reply });
  } catch (error) {
    if (error instanceof SecretUnreadableError) throw notKept('can no longer be read', effectId);
    throw error;
  }
}

function notKept(reason: string, effectId: string | null): ServiceError {
  const record = effectId === null ? '' : `. The id of its record is ${effectId}`;
  return new ServiceError('idempotency_reply_not_kept', `The request was done once, but its reply ${reason}${record}`);
}
