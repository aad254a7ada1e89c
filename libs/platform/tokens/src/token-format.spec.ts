import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fingerprintOf, generateToken, hashRange, hashToken, isFingerprint, isWellFormed } from './token-format';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('token format', () => {
  it('is cas_live_, 43 base62 digits for 32 bytes, and 6 for a checksum', () => {
    for (let count = 0; count < 1000; count++)
      expect(generateToken()).toMatch(/^cas_live_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
  });

  it('has the CRC-32 of all before it as its last six digits, so that others can check it too', () => {
    const token = generateToken();
    const sum = [...token.slice(-6)].reduce((value, digit) => value * 62 + ALPHABET.indexOf(digit), 0);
    expect(sum).toBe(crc32(token.slice(0, -6)));
  });

  it('never repeats itself', () => {
    expect(new Set(Array.from({ length: 5000 }, generateToken)).size).toBe(5000);
  });

  it('uses every digit in every place but the first, as random bytes do', () => {
    const tokens = Array.from({ length: 3000 }, generateToken);
    for (const place of [1, 20, 42]) {
      expect(new Set(tokens.map((token) => token['cas_live_'.length + place])).size).toBe(62);
    }
  });

  it('knows its own', () => {
    for (let count = 0; count < 1000; count++) expect(isWellFormed(generateToken())).toBe(true);
  });

  it('notices every single mistyped character, and every two neighbours that changed places', () => {
    const token = generateToken();
    for (let place = 0; place < token.length; place++) {
      const character = token.charAt(place);
      for (const other of Array.from(ALPHABET).filter((digit) => digit !== character)) {
        expect(isWellFormed(token.slice(0, place) + other + token.slice(place + 1))).toBe(false);
      }
      const next = token.charAt(place + 1);
      if (next === '' || next === character) continue;
      expect(isWellFormed(token.slice(0, place) + next + character + token.slice(place + 2))).toBe(false);
    }
  });

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'cas_live_'],
    ['a shorter one', generateToken().slice(0, -1)],
    ['a longer one', `${generateToken()}0`],
    ['one with a line feed', `${generateToken()}\n`],
    ['one with a space before', ` ${generateToken()}`],
    ['another prefix', generateToken().replace('live', 'test')],
    ['a very long text', 'a'.repeat(1_000_000)],
  ])('refuses %s', (_name, text) => expect(isWellFormed(text)).toBe(false));

  it('is stored as the SHA-256 of the whole token', () => {
    const token = generateToken();
    expect(hashToken(token)).toEqual(createHash('sha256').update(token).digest());
  });

  it('is known by its fingerprint, in small or capital letters, which stands for all hashes that begin with it', () => {
    const hash = hashToken(generateToken());
    const fingerprint = fingerprintOf(hash);
    for (const text of [fingerprint, fingerprint.toUpperCase()]) {
      const [least, greatest] = hashRange(text);
      expect([isFingerprint(text), least.length, greatest.length]).toEqual([true, 32, 32]);
      expect([least, greatest].map(fingerprintOf)).toEqual([fingerprint, fingerprint]);
      expect([least.subarray(6), greatest.subarray(6)]).toEqual([Buffer.alloc(26), Buffer.alloc(26, 0xff)]);
    }
    expect(hashRange(hash.toString('hex'))).toEqual([hash, hash]);
    for (const other of ['', fingerprint.slice(1), `${fingerprint}0`, `${fingerprint.slice(1)}g`, `${fingerprint}\n`])
      expect([other, isFingerprint(other)]).toEqual([other, false]);
  });
});
