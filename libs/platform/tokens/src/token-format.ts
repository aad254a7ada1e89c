import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefix of every service token. */
export const TOKEN_PREFIX = 'cas_live_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Maximum number of base62 digits of 32 bytes, and of a CRC-32. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
/** Number of characters of a token. */
export const TOKEN_LENGTH = TOKEN_PREFIX.length + SECRET_LENGTH + CHECKSUM_LENGTH;
/** Of a SHA-256. */
const HASH_BYTES = 32;
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Generates a token: `cas_live_`, 256 random bits, and a checksum that reveals a mistyped token without a look-up. */
export function generateToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  return TOKEN_PREFIX + secret + checksum(secret);
}

/** Whether a text has the format and checksum of a token. */
export function isWellFormed(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secret = text.slice(TOKEN_PREFIX.length, -CHECKSUM_LENGTH);
  return text.endsWith(checksum(secret));
}

/** The stored hash of a token: its SHA-256. The token has 256 random bits, so it needs no salt. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Tells which token is meant without giving it away: the first 12 hexadecimal digits of its hash. */
export function fingerprintOf(tokenHash: Buffer): string {
  return tokenHash.toString('hex', 0, 6);
}

/** Whether a text has the form of a fingerprint, in small or capital letters. */
export function isFingerprint(text: string): boolean {
  return /^[0-9a-f]{12}$/i.test(text);
}

/** The least and the greatest hash of the tokens that have a fingerprint, or whose hash begins with other hexadecimal digits. */
export function hashRange(digits: string): [least: Buffer, greatest: Buffer] {
  const range = (byte: string) => Buffer.from(digits.padEnd(2 * HASH_BYTES, byte), 'hex');
  return [range('0'), range('f')];
}

function checksum(secret: string): string {
  let digits = '';
  // Every call runs this, so it uses numbers instead of big integers: 32 bits fit a number.
  for (let rest = crc32(TOKEN_PREFIX + secret); rest > 0; rest = Math.floor(rest / 62))
    digits = ALPHABET.charAt(rest % 62) + digits;
  return digits.padStart(CHECKSUM_LENGTH, ALPHABET.charAt(0));
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; rest > 0n; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, ALPHABET.charAt(0));
}
