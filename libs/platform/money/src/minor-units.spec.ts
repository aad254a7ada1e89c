import { decimalsOf, fromDecimals, toDecimal, toMinorUnits, toNumber } from './minor-units';

describe('Amounts', () => {
  it.each([
    [0n, 'NOK', '0.00'],
    [1n, 'NOK', '0.01'],
    [123_456n, 'NOK', '1234.56'],
    [-5n, 'NOK', '-0.05'],
    [500n, 'JPY', '500'],
    [1234n, 'KWD', '1.234'],
    [9_007_199_254_740_993n, 'NOK', '90071992547409.93'],
  ])('%s minor units of %s are %s', (minor, currency, decimal) => {
    expect(toDecimal(minor, currency)).toBe(decimal);
    expect(toMinorUnits(decimal, currency)).toBe(minor);
    expect(toNumber(String(minor), currency)).toBe(Number(decimal));
  });

  it.each([
    ['1', 'NOK', 100n],
    ['1.5', 'NOK', 150n],
    ['1.005', 'NOK', undefined],
    ['1.5', 'JPY', undefined],
    ['1e3', 'NOK', undefined],
    ['', 'NOK', undefined],
    ['1,50', 'NOK', undefined],
    ['.5', 'NOK', undefined],
  ])('%j %s reads as %s', (decimal, currency, minor) => expect(toMinorUnits(decimal, currency)).toBe(minor));

  it.each([
    [1250, 2, 'NOK', 1250n],
    [-1250, 2, 'NOK', -1250n],
    [1250, 2, 'KWD', 12_500n],
    [1250, 3, 'NOK', 125n],
    [1255, 3, 'NOK', undefined],
    [1200, 2, 'JPY', 12n],
    [1250, 2, 'JPY', undefined],
  ])('%i, of a source that counts %i decimals, is in %s: %s', (amount, decimals, currency, minor) =>
    expect(fromDecimals(amount, decimals, currency)).toBe(minor),
  );
});

// ISO 4217, amendment 177, but for MGA and units of account.
it.each([
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [2, 'NOK SEK DKK EUR USD GBP PLN CHF HUF'],
])('There are %i decimals in %s', (decimals, currencies) => {
  expect(currencies.split(' ').map((currency) => [currency, decimalsOf(currency)])).toEqual(
    currencies.split(' ').map((currency) => [currency, decimals]),
  );
});

it('Amounts print in JSON as the decimals they are', () => {
  for (let minor = 0; minor < 300_000; minor += 7) {
    expect(JSON.stringify(toNumber(String(minor), 'NOK'))).toBe(String(Number(toDecimal(BigInt(minor), 'NOK'))));
  }
});
