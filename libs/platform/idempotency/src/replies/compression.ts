import { promisify } from 'node:util';
import { constants, deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib';

/** Smaller texts gain less than the compression costs. */
const SMALL_BYTES = 1024;
/** Larger texts are compressed by another thread. */
const LARGE_BYTES = 64 * 1024;
const FAST = { level: constants.Z_BEST_SPEED };
const PLAIN = 0;
const DEFLATED = 1;

const deflate = promisify<Buffer, typeof FAST, Buffer>(deflateRaw);
const inflate = promisify<Buffer, Buffer>(inflateRaw);

/** Compresses a text, if it is worth it. */
export async function compress(text: Buffer): Promise<Buffer> {
  if (text.length < SMALL_BYTES) return Buffer.concat([Buffer.of(PLAIN), text]);
  const deflated = text.length < LARGE_BYTES ? deflateRawSync(text, FAST) : await deflate(text, FAST);
  return Buffer.concat([Buffer.of(DEFLATED), deflated]);
}

/** The text that was given to {@link compress}. */
export async function decompress(bytes: Buffer): Promise<Buffer> {
  const content = bytes.subarray(1);
  return bytes[0] === DEFLATED ? inflate(content) : content;
}
