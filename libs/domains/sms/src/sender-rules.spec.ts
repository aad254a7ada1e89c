import { senderFault, senderKind } from './sender-rules';

describe('senderFault', () => {
  it.each<['46elks' | 'link-mobility', string]>([
    ['46elks', 'Acme'],
    ['46elks', 'ABCDEFGHIJK'],
    ['46elks', 'My Shop 24'],
    ['46elks', '+4790000000'],
    ['link-mobility', 'Acme'],
    ['link-mobility', 'a1'],
    ['link-mobility', '24 Shop'],
    ['link-mobility', 'A'],
    ['link-mobility', '+4790000000'],
    ['link-mobility', '2333'],
    ['link-mobility', '123'],
    ['link-mobility', '12345678'],
  ])('lets %s have %s', (gateway, text) => expect(senderFault(gateway, text)).toBeUndefined());

  it.each<['46elks' | 'link-mobility', string]>([
    ...(['46elks', 'link-mobility'] as const).flatMap((gateway) =>
      ['', 'ABCDEFGHIJKL', '1234567890', 'Blåbær', 'A-B', ' Acme', 'Acme ', 'A\nB', '12', '+0790000000', '+47'].map(
        (text): ['46elks' | 'link-mobility', string] => [gateway, text],
      ),
    ),
    ['46elks', '2333'],
    ['46elks', 'a1'],
    ['46elks', '24Shop'],
  ])('does not let %s have %j', (gateway, text) => expect(senderFault(gateway, text)).toContain(gateway));
});

describe('senderKind', () => {
  it.each([
    ['+4790000000', 'MSISDN'],
    ['2333', 'SHORTNUMBER'],
    ['Acme', 'ALPHANUMERIC'],
    ['24 Shop', 'ALPHANUMERIC'],
  ])('of %s is %s', (text, kind) => expect(senderKind(text)).toBe(kind));
});
