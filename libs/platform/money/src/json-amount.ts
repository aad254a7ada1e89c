/** `JSON.rawJSON`, which the compiler's library does not know yet: https://github.com/tc39/proposal-json-parse-with-source */
const { rawJSON } = JSON as typeof JSON & { rawJSON(this: void, text: string): { readonly rawJSON: string } };

/** Decimal text without zeros at its end: `1.500` is `1.5`, `0.000` is `0`. */
export function shortDecimal(text: string): string {
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return short === '-0' ? '0' : short;
}

/**
 * The JSON number of a decimal text, with all its digits: sums have more of them than a binary number holds. It has its value
 * in JSON alone; nothing is to be computed with it.
 */
export function jsonAmount(text: string): number {
  return rawJSON(shortDecimal(text)) as unknown as number;
}

/** The decimal text of a number that {@link jsonAmount} made; undefined for anything else. */
export function amountText(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'rawJSON' in value ? String(value.rawJSON) : undefined;
}

/** The decimal text of an amount in JSON; null and undefined stay. */
export function amountOrNull(amount: number | null | undefined): string | null | undefined {
  return typeof amount === 'number' ? String(amount) : amount;
}
