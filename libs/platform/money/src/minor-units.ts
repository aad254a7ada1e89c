/**
 * Number of decimals of ISO 4217 currencies that do not have two. MGA has none here: its minor unit is a fifth, and out
 * of use.
 */
const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    [
      'BIF',
      'CLP',
      'DJF',
      'GNF',
      'ISK',
      'JPY',
      'KMF',
      'KRW',
      'MGA',
      'PYG',
      'RWF',
      'UGX',
      'VND',
      'VUV',
      'XAF',
      'XOF',
      'XPF',
    ].map((currency) => [currency, 0]),
  ),
  ...Object.fromEntries(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((currency) => [currency, 3])),
};

/** Number of decimals of a currency. */
export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

/**
 * Converts an amount that a source gives as a whole number with `decimals` decimals to the currency's minor unit;
 * undefined if it has a smaller fraction.
 */
export function fromDecimals(amount: number, decimals: number, currency: string): bigint | undefined {
  const difference = decimalsOf(currency) - decimals;
  if (difference >= 0) return BigInt(amount) * 10n ** BigInt(difference);
  const divisor = 10n ** BigInt(-difference);
  return BigInt(amount) % divisor === 0n ? BigInt(amount) / divisor : undefined;
}

/** Formats minor units as a decimal number: `123456` in NOK is `1234.56`. Exact for any size. */
export function toDecimal(minorUnits: bigint, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = (minorUnits < 0n ? -minorUnits : minorUnits).toString().padStart(decimals + 1, '0');
  const sign = minorUnits < 0n ? '-' : '';
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/**
 * The JSON number of an amount. Up to 2^53 minor units the quotient is the number nearest to the decimal, so it prints
 * as the decimal.
 */
export function toNumber(minorUnits: string, currency: string): number {
  const units = Number(minorUnits);
  return Number.isSafeInteger(units)
    ? units / 10 ** decimalsOf(currency)
    : Number(toDecimal(BigInt(minorUnits), currency));
}

/**
 * Parses a decimal number to minor units; undefined if it is not a number or has a smaller fraction than the currency.
 */
export function toMinorUnits(decimal: string, currency: string): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d+))?$/.exec(decimal) ?? [];
  const decimals = decimalsOf(currency);
  if (whole === undefined || fraction.length > decimals) return undefined;
  return BigInt(`${sign ?? ''}${whole}${fraction.padEnd(decimals, '0')}`);
}
