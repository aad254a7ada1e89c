import { isSenderId } from './sender-id';

describe('isSenderId', () => {
  it.each(['Acme', 'ABCDEFGHIJK', 'My Shop 24', 'a1', '+4790000000', '2333'])('takes %s', (text) =>
    expect(isSenderId(text)).toBe(true),
  );
  it.each(['', 'ABCDEFGHIJKL', '1234567890', 'Blåbær', 'A-B', ' Acme', 'Acme ', 'A\nB'])('refuses %j', (text) =>
    expect(isSenderId(text)).toBe(false),
  );
});
