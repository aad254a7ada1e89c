import { randomBytes } from 'node:crypto';
import { loadConfig } from '@platform/config';
import { SecretBox, SecretUnreadableError } from './index';

const boxWith = (key?: Buffer, former?: Buffer) =>
  new SecretBox(loadConfig({ SECRETS_KEY: key?.toString('base64'), FORMER_SECRETS_KEY: former?.toString('base64') }));

describe('SecretBox', () => {
  const box = boxWith(randomBytes(32));

  it('opens what it sealed', () => {
    expect(box.open(box.seal('sk-ant-æøå', 'ai-key:1'), 'ai-key:1')).toBe('sk-ant-æøå');
  });

  it('never seals alike, and hides the text', () => {
    const [a, b] = [box.seal('secret text', 'p'), box.seal('secret text', 'p')];
    expect(a.equals(b)).toBe(false);
    expect(a.includes('secret')).toBe(false);
  });

  it("does not open for another purpose, such as another customer's key", () => {
    const sealed = box.seal('secret', 'ai-key:1');
    expect(() => box.open(sealed, 'ai-key:2')).toThrow(SecretUnreadableError);
  });

  it('does not open under another key, nor when a single bit differs', () => {
    const sealed = box.seal('secret', 'p');
    expect(() => boxWith(randomBytes(32)).open(sealed, 'p')).toThrow(SecretUnreadableError);
    for (let index = 0; index < sealed.length; index++) {
      const damaged = Buffer.from(sealed);
      damaged.writeUInt8(damaged.readUInt8(index) ^ 1, index);
      expect(() => box.open(damaged, 'p')).toThrow(SecretUnreadableError);
    }
  });

  it('opens what was sealed under the former key, and seals under the present one', () => {
    const [former, present] = [randomBytes(32), randomBytes(32)];
    const rotated = boxWith(present, former);
    const old = boxWith(former).seal('secret', 'p');
    expect(rotated.open(old, 'p')).toBe('secret');
    expect(rotated.isPresent(old, 'p')).toBe(false);
    const renewed = rotated.seal('secret', 'p');
    expect(rotated.isPresent(renewed, 'p')).toBe(true);
    expect(boxWith(present).open(renewed, 'p')).toBe('secret');
    expect(() => boxWith(former).open(renewed, 'p')).toThrow(SecretUnreadableError);
  });

  it('refuses to work without SECRETS_KEY', () => {
    expect(() => boxWith().seal('secret', 'p')).toThrow('service_unavailable: The service can keep no secrets');
    expect(() => boxWith().open(box.seal('secret', 'p'), 'p')).toThrow('SECRETS_KEY is not set');
  });
});
