/**
 * ISO 4217 currencies whose amounts do not have two decimals: how many they have. MGA is written without: its minor unit
 * is a fifth, and out of use.
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

/** How many decimals amounts of a currency have. */
export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

/**
 * The amount in a currency's minor unit that a source writes as a whole number with `decimals` decimals; nothing if it is
 * finer than the currency's minor unit.
 */
export function fromDecimals(amount: number, decimals: number, currency: string): bigint | undefined {
  const difference = decimalsOf(currency) - decimals;
  if (difference >= 0) return BigInt(amount) * 10n ** BigInt(difference);
  const divisor = 10n ** BigInt(-difference);
  return BigInt(amount) % divisor === 0n ? BigInt(amount) / divisor : undefined;
}

/** Writes minor units as a decimal number: `123456`, NOK is `1234.56`. Exact, however large. */
export function toDecimal(minorUnits: bigint, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = (minorUnits < 0n ? -minorUnits : minorUnits).toString().padStart(decimals + 1, '0');
  const sign = minorUnits < 0n ? '-' : '';
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/**
 * The number that a decimal is sent as in JSON. Up to 2^53 minor units the quotient is the number nearest to the decimal, and
 * so prints as it.
 */
export function toNumber(minorUnits: string, currency: string): number {
  const units = Number(minorUnits);
  return Number.isSafeInteger(units)
    ? units / 10 ** decimalsOf(currency)
    : Number(toDecimal(BigInt(minorUnits), currency));
}

/** Reads a decimal number as minor units; nothing if it is none or is finer than the currency's minor unit. */
export function toMinorUnits(decimal: string, currency: string): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d+))?$/.exec(decimal) ?? [];
  const decimals = decimalsOf(currency);
  if (whole === undefined || fraction.length > decimals) return undefined;
  return BigInt(`${sign ?? ''}${whole}${fraction.padEnd(decimals, '0')}`);
}
