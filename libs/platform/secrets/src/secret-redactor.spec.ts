import { randomBytes } from 'node:crypto';
import { loadConfig } from '@platform/config';
import { SecretRedactor } from './index';

const SECRETS_KEY = randomBytes(32).toString('base64');
const config = loadConfig({
  SECRETS_KEY,
  ANTHROPIC_API_KEY: 'provider-key-of-ours',
  ELKS_USERNAME: 'elks-user',
  ELKS_PASSWORD: 'word',
  LINK_PASSWORD: 'q"uote\\d secret/æ',
  DATABASE_URL: 'postgres://api:database-password@db/account',
});
const redactor = new SecretRedactor(config);

describe('SecretRedactor', () => {
  it.each([
    ['a key', 'the key provider-key-of-ours is wrong', 'the key [redacted] is wrong'],
    ['a key that is nothing else', 'provider-key-of-ours', '[redacted]'],
    ['each of them', `${SECRETS_KEY}, provider-key-of-ours`, '[redacted], [redacted]'],
    ['a key between letters', 'xprovider-key-of-oursx', 'x[redacted]x'],
    ['a short one as a word only', 'word: words, sword, "word"', '[redacted]: words, sword, "[redacted]"'],
    ['basic credentials', Buffer.from('elks-user:word').toString('base64'), '[redacted]'],
    ['the password of an address', 'at database-password', 'at [redacted]'],
    ['a secret as JSON has it', JSON.stringify({ a: 'q"uote\\d secret/æ' }), '{"a":"[redacted]"}'],
    ['a secret as an address has it', `?k=${encodeURIComponent('q"uote\\d secret/æ')}`, '?k=[redacted]'],
  ])('takes out %s', (_, text, expected) => expect(redactor.redact(text)).toBe(expected));

  it.each([
    'cas_live_0123456789abcdefghijABCDEFGHIJ0123456789abcABCDEFG012',
    `sk-ant-api03-${'aB-_9'.repeat(18)}AA`,
    'sk-proj-0123456789abcdefghij',
    'sk_live_51HxxxxxxxxxxxxxxxxxxxxYZ',
    'rk_test_0123456789abcdefghijABCD',
    'whsec_0123456789abcdefghijABCDEFGHIJ',
    '1234567890.AbCdEfGhIjKlMnOpQrStUvWxYz012345',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
    'ghp_0123456789abcdefghijABCDEFGHIJ012345',
    'AKIAIOSFODNN7EXAMPLE',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\nowIBAAKC\n-----END RSA PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\\nMIIE',
  ])('takes out what has the format of a secret: %s', (secret) => {
    expect(redactor.redact(`before "${secret}`)).toBe('before "[redacted]');
    expect(redactor.hasSecret(secret)).toBe(true);
  });

  it('takes out passwords of addresses and credentials of headers', () => {
    expect(redactor.redact('see https://me:hush@example.com/x')).toBe('see https://me:[redacted]@example.com/x');
    expect(redactor.redact('Authorization: Bearer abcdefgh12345678')).toBe('Authorization: Bearer [redacted]');
    expect(redactor.redact('Basic dXNlcjpwYXNzd29yZA==')).toBe('Basic [redacted]');
  });

  it.each([
    'max_tokens: 100000 > 8192, which is the maximum allowed for claude-opus-5',
    'messages.0.content.1.image.source.base64: invalid base64 data',
    'No such customer: cus_QAbCdEfGhIjKlM; see https://stripe.com/docs/error-codes/resource-missing',
    'req_011CSHoEeqs5C35K2UUqR7Fy',
    'the basic authentication-information was missing',
    '01983f4e-7a3c-7e2b-9d51-0242ac120002 at 2026-11-20T12:00:00.000000Z',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8X',
    'http://127.0.0.1:8080/a@b',
    '12345678.123456789012345678901234',
  ])('leaves ordinary text alone: %s', (text) => expect(redactor.redact(text)).toBe(text));

  it.each([
    '{"a":"-----BEGIN PRIVATE KEY-----","b":1}',
    '{"a":"http://h:","b":"x@y"}',
    '{"a":"Bearer 0","b":"0123456789abcdef"}',
  ])('leaves JSON whole: %s', (json) =>
    expect(Object.keys(JSON.parse(redactor.redact(json)) as object)).toEqual(['a', 'b']),
  );

  it('knows secrets that were used, for all users of the same settings', () => {
    const key = `customers-own-key-${randomBytes(8).toString('hex')}`;
    expect(SecretRedactor.forSettings(config).redact(key)).toBe(key);
    SecretRedactor.forSettings(config).use(key);
    expect(SecretRedactor.forSettings(config).redact(`x ${key}`)).toBe('x [redacted]');
    expect(SecretRedactor.forSettings(loadConfig({})).redact(key)).toBe(key);
  });

  it('takes out all of secrets that overlap', () => {
    const known = new SecretRedactor(loadConfig({}));
    ['secret-number', 'secret-number-two', 'two-and-more'].forEach((secret) => known.use(secret));
    expect(known.redact('(secret-number-two-and-more)')).toBe('([redacted])');
  });

  it('keeps ten thousand keys without becoming slower', () => {
    const known = new SecretRedactor(loadConfig({}));
    const keys = Array.from({ length: 25_000 }, (_, n) => `key-of-customer-${n}-${'x'.repeat(n % 7)}`);
    keys.forEach((key) => known.use(key));
    expect(known.redact(keys.at(-10_000) ?? '')).toBe('[redacted]');
    expect(known.redact(keys[0] ?? '')).toBe(keys[0]);
    const text = 'An answer without any secret in it, of the usual length. '.repeat(20);
    const began = performance.now();
    for (let n = 0; n < 100; n++) known.redact(text);
    expect((performance.now() - began) / 100).toBeLessThan(10);
  });

  it.each([
    'eyJ-'.repeat(25_000),
    'sk-'.repeat(30_000),
    `bearer${' '.repeat(90_000)}`,
    '1'.repeat(90_000),
    ':'.repeat(90_000),
  ])('takes no longer over a text that is made to be slow (%#)', (text) => {
    const began = performance.now();
    redactor.redact(text);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

describe('foreignText', () => {
  const passed = (text: unknown, most?: number) => redactor.foreignText(text, most);

  it('passes on an ordinary message as it is', () => {
    expect(passed('messages: Field required – “æøå” 👍')).toBe('messages: Field required – “æøå” 👍');
  });

  it('puts it on one line, without control, direction and invisible characters and halves of characters', () => {
    expect(passed('a\r\n\tb\u001b[2Jc\u009bd\u202ee\u200bf\u2028g\ud800h\u0000')).toBe('a b[2Jcdef g\ufffdh');
  });

  it('sees a secret through invisible characters', () => {
    expect(passed('prov\u200bider-key\u0000-of-ours')).toBe('[redacted]');
  });

  it('bounds it by characters, and never shows a part of a secret at the end', () => {
    expect(passed('👍'.repeat(400))).toBe(`${'👍'.repeat(299)}…`);
    expect(passed(`${'a'.repeat(290)} provider-key-of-ours`)).toBe(`${'a'.repeat(290)} [redacte…`);
    expect(passed(`${' '.repeat(8_180)}provider-key-of-ours`)).toBeUndefined();
  });

  it.each([undefined, null, 5, {}, [], '', ' \n'])('has nothing to say of %j', (text) =>
    expect(passed(text)).toBeUndefined(),
  );
});

describe('foreignId', () => {
  it.each(['req_011CSHoEeqs5C35K2UUqR7Fy', 'a', 'a'.repeat(128), 's1234-5:6'])('passes on %s', (id) =>
    expect(redactor.foreignId(id)).toBe(id),
  );
  it.each(['', 'a'.repeat(129), 'a b', 'a\nb', 'æ', 'provider-key-of-ours', 7, undefined, '<b>'])('drops %j', (id) =>
    expect(redactor.foreignId(id)).toBeUndefined(),
  );
});
