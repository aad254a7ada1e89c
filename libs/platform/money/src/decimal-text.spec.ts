import { decimalText, hundredths, timesRoundedUp } from './index';

describe('decimalText', () => {
  it.each([
    ['125.50', '125.5'],
    ['0', '0'],
    ['999999999.999999', '999999999.999999'],
  ])('reads %s', (typed, text) => {
    expect(decimalText(typed, { decimals: 6 })).toBe(text);
  });

  it.each(['', 'abc', '1e3', '1,5', ' 1', '0x10', '1.', '.5', 'NaN', '1.1234567', '-1', '10000000000'])(
    'refuses %j',
    (typed) => {
      expect(() => decimalText(typed, { decimals: 6 })).toThrow('invalid_request');
    },
  );

  it('accepts what is taken away where that is meant', () => {
    expect(decimalText('-12.5', { decimals: 2, least: -100 })).toBe('-12.5');
  });
});

it('rounds up, so that a derived price is never too low', () => {
  expect(timesRoundedUp('0.000001', '1.25', 6)).toBe('0.000002');
  expect(timesRoundedUp('100', '0.1', 6)).toBe('10');
});

it('counts hundredths exactly', () => {
  expect(hundredths('1234.56')).toBe(123456n);
  expect(hundredths('0.29')).toBe(29n);
});
