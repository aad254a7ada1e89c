const LONGEST = 16;
const PLACES = 256;

interface Known {
  bytes: Buffer;
  text: string;
}

const known: (Known | undefined)[] = Array<undefined>(PLACES).fill(undefined);

/**
 * Decodes a part of a text. The same short names occur again and again, and creating a string of a few bytes takes
 * longer than a lookup, so recent ones are cached.
 */
export function shortText(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0 || length > LONGEST) return bytes.toString('utf8', start, end);
  const place = placeOf(bytes, start, length);
  const found = known[place];
  if (found && isSame(found.bytes, bytes, start, length)) return found.text;
  const text = bytes.toString('utf8', start, end);
  known[place] = { bytes: Buffer.from(bytes.subarray(start, end)), text };
  return text;
}

function placeOf(bytes: Buffer, start: number, length: number): number {
  const [first = 0, middle = 0, last = 0] = [bytes[start], bytes[start + (length >> 1)], bytes[start + length - 1]];
  return (length * 31 + first * 7 + middle * 3 + last * 13) % PLACES;
}

function isSame(one: Buffer, bytes: Buffer, start: number, length: number): boolean {
  if (one.length !== length) return false;
  for (let at = 0; at < length; at++) if (one[at] !== bytes[start + at]) return false;
  return true;
}
