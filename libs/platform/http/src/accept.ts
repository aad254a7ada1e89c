/** Most alternatives of a header that are looked at. */
const MOST = 20;

/**
 * The weights of the alternatives that an `Accept` or `Accept-Encoding` header names, in lower case (RFC 9110 §12.4.2). A
 * malformed weight is 0; alternatives that are not named have none.
 */
export function acceptedWeights(header = ''): Map<string, number> {
  return new Map(header.toLowerCase().split(',', MOST).map(weighted));
}

/** The weight of JSON in an `Accept` header: by its own name, else by that of a range that has it (RFC 9110 §12.5.1); 0 without either. */
export function weightOfJson(weights: ReadonlyMap<string, number>): number {
  return weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
}

/** `gzip;q=0.5` as its name and weight. */
function weighted(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}
