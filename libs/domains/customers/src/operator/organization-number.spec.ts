import { isOrganizationNumber } from './new-customer';

describe('organisation number', () => {
  it.each(['974760673', '923609016', '982463718', '889640782'])('takes %s', (text) => {
    expect(isOrganizationNumber(text)).toBe(true);
  });

  it.each([
    '974760673'.replace(/.$/, ''),
    '9747606730',
    '974760674',
    '97476067a',
    ' 974760673',
    '974 760 673',
    '',
    '９７４７６０６７３',
  ])('refuses %s', (text) => expect(isOrganizationNumber(text)).toBe(false));

  it('notices every mistyped digit', () => {
    const number = '974760673';
    for (let place = 0; place < 9; place++) {
      for (const digit of '0123456789'.replace(number.charAt(place), '')) {
        expect(isOrganizationNumber(number.slice(0, place) + digit + number.slice(place + 1))).toBe(false);
      }
    }
  });

  it('rejects numbers with a check digit of ten, which are not issued', () => {
    // 6 · 2 = 12, and 12 mod 11 = 1.
    const taken = Array.from({ length: 10 }, (_, digit) => isOrganizationNumber(`00000006${digit}`)).filter(Boolean);
    expect(taken).toEqual([]);
  });
});
