import { amountText, jsonAmount, shortDecimal } from './index';

describe('the JSON number of an amount', () => {
  it.each([
    ['0.000000000000', '0'],
    ['-0.000000000000', '0'],
    ['100', '100'],
    ['100.000000000000', '100'],
    ['-0.001500000000', '-0.0015'],
    ['123456789012.123456789012', '123456789012.123456789012'],
  ])('of %s is %s, digit by digit', (text, number) => {
    expect(shortDecimal(text)).toBe(number);
    expect(JSON.stringify({ cost: jsonAmount(text) })).toBe(`{"cost":${number}}`);
    expect(amountText(jsonAmount(text))).toBe(number);
  });

  it('is made of a number alone', () => {
    expect(() => jsonAmount('1}')).toThrow(SyntaxError);
    for (const value of [1, '1', null, undefined, {}]) expect(amountText(value)).toBeUndefined();
  });
});
