/** Where a value stands in a JSON text: from its first byte to before its last. */
export interface Span {
  start: number;
  end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;

/**
 * Finds the values of an object's own members, so that they can be passed on byte for byte. A member named twice counts
 * as the last one, as in JSON.parse.
 * @param json a JSON object that JSON.parse has accepted; this function does not check it again.
 */
export function memberSpans(json: Buffer, names: ReadonlySet<string>): Map<string, Span> {
  const spans = new Map<string, Span>();
  let at = skipSpace(json, skipSpace(json, 0) + 1);
  while (json[at] === QUOTE) {
    const keyEnd = skipString(json, at);
    const name = JSON.parse(json.toString('utf8', at, keyEnd)) as string;
    // Past the colon.
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = skipValue(json, start);
    if (names.has(name)) spans.set(name, { start, end });
    at = skipSpace(json, end);
    if (json[at] === COMMA) at = skipSpace(json, at + 1);
  }
  return spans;
}

function skipSpace(json: Buffer, at: number): number {
  while (isSpace(json[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** From a string's first quote to after its last. */
function skipString(json: Buffer, at: number): number {
  for (;;) {
    const quote = json.indexOf(QUOTE, at + 1);
    if (quote < 0) throw new RangeError('Not a JSON text');
    let first = quote;
    while (json[first - 1] === BACKSLASH) first--;
    // An odd number of backslashes before it escapes the quote.
    if ((quote - first) % 2 === 0) return quote + 1;
    at = quote;
  }
}

function skipValue(json: Buffer, at: number): number {
  const first = json[at];
  if (first === QUOTE) return skipString(json, at);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipNested(json, at);
  while (at < json.length && json[at] !== COMMA && json[at] !== CLOSE_OBJECT && !isSpace(json[at])) at++;
  return at;
}

function skipNested(json: Buffer, at: number): number {
  let depth = 0;
  for (;;) {
    const byte = json[at];
    if (byte === undefined) throw new RangeError('Not a JSON text');
    if (byte === QUOTE) {
      at = skipString(json, at);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
    at++;
    if (depth === 0) return at;
  }
}
