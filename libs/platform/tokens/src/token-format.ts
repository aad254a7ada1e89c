import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What every service token begins with. */
export const TOKEN_PREFIX = 'cas_live_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Base62 digits that 32 bytes, and a CRC-32, need at most. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Makes a token: `cas_live_`, 256 random bits, and a checksum by which a mistyped one is known without a look-up. */
export function generateToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  return TOKEN_PREFIX + secret + checksum(secret);
}

/** Tells whether a text can be a token at all. */
export function isWellFormed(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secret = text.slice(TOKEN_PREFIX.length, -CHECKSUM_LENGTH);
  return text.endsWith(checksum(secret));
}

/** What is stored of a token: its SHA-256. The token has 256 random bits, so it needs no salt. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function checksum(secret: string): string {
  let digits = '';
  // Every call passes here, so no big integers as below: 32 bits fit a number.
  for (let rest = crc32(TOKEN_PREFIX + secret); rest > 0; rest = Math.floor(rest / 62))
    digits = ALPHABET.charAt(rest % 62) + digits;
  return digits.padStart(CHECKSUM_LENGTH, ALPHABET.charAt(0));
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; rest > 0n; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, ALPHABET.charAt(0));
}
