import { fc } from '@test/fast-check';
import { JsonFault, type JsonHandler, type JsonLimits, type JsonToken, JsonTokenizer } from './json-tokenizer';

const RUNS = Number(process.env.ACCEPT_RUNS ?? 250);

/** Builds the same value as JSON.parse from the tokenizer's events. */
class Builder implements JsonHandler {
  root: unknown;
  private readonly stack: { value: unknown[] | Record<string, unknown>; key: string }[] = [];
  constructor(private readonly bytes: Buffer) {}

  open(kind: 'object' | 'array'): void {
    const value = kind === 'object' ? (Object.create(null) as Record<string, unknown>) : [];
    this.add(value);
    this.stack.push({ value, key: '' });
  }
  close(): void {
    this.stack.pop();
  }
  key(token: JsonToken): void {
    this.stack.at(-1)!.key = this.valueOf(token) as string;
  }
  scalar(_kind: string, token: JsonToken): void {
    this.add(this.valueOf(token));
  }
  private valueOf(token: JsonToken): unknown {
    const written = JSON.parse(this.bytes.subarray(token.start, token.end).toString()) as unknown;
    const text = token.text();
    if (token.end - token.start <= 128) expect(text).toBe(rawOf(written, text!));
    else expect(text).toBeUndefined();
    return written;
  }
  private add(value: unknown): void {
    const top = this.stack.at(-1);
    if (!top) this.root = value;
    else if (Array.isArray(top.value)) top.value.push(value);
    else top.value[top.key] = value;
  }
}

/** The text of a number as it was written. */
const rawOf = (written: unknown, text: string) => (typeof written === 'number' ? text : String(written));

const NO_LIMITS: JsonLimits = { depth: 100, values: 100_000 };

function tokenize(bytes: Buffer, cuts: number[] = [], limits = NO_LIMITS): unknown {
  const builder = new Builder(bytes);
  const tokenizer = new JsonTokenizer(limits, builder);
  let from = 0;
  for (const cut of [...cuts.filter((place) => place < bytes.length).sort((a, b) => a - b), bytes.length]) {
    tokenizer.write(Buffer.from(bytes.subarray(from, cut)));
    from = cut;
  }
  tokenizer.finish();
  return builder.root;
}

const outcome = (bytes: Buffer, cuts: number[] = [], limits = NO_LIMITS): string => {
  try {
    tokenize(bytes, cuts, limits);
    return 'accepted';
  } catch (error) {
    if (error instanceof JsonFault) return error.kind;
    throw error;
  }
};

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const cuts = fc.array(fc.nat(400), { maxLength: 12 });

describe('JsonTokenizer', () => {
  it('agrees with JSON.parse on any object, however it is split', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t', ' \n');
    const values = fc.jsonValue({ maxDepth: 6, depthSize: 'large', stringUnit: 'binary' });
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), values), spaces, cuts, (object, space, places) => {
        const json = JSON.stringify(object, null, space);
        expect(JSON.stringify(tokenize(Buffer.from(json), places))).toBe(JSON.stringify(JSON.parse(json)));
      }),
      { numRuns: RUNS },
    );
  });

  it('accepts what JSON.parse accepts and refuses what it refuses, of objects corrupted byte by byte', () => {
    const corrupt = fc.record({
      at: fc.nat(200),
      byte: fc.constantFrom(...Buffer.from('{}[],:"\\0123456789-+.eEtrufalsn \t\0x\u00e9\u20ac')),
    });
    const kinds = new Set<string>();
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(corrupt, { maxLength: 3 }), cuts, (value, spoils, places) => {
        const bytes = Buffer.from(JSON.stringify({ value, n: -12.5e-3, t: true, e: 'a\\n\u0001' }));
        for (const { at, byte } of spoils) bytes[at % bytes.length] = byte;
        const text = bytes.toString();
        let expected = 'syntax';
        try {
          const parsed: unknown = JSON.parse(text);
          expected =
            typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? 'accepted' : 'not_an_object';
        } catch {
          // Not JSON.
        }
        if (!Buffer.from(text).equals(bytes)) expected = 'not_utf8';
        const found = outcome(bytes, places);
        kinds.add(found);
        // A text with two faults may be refused for either one.
        if (expected === 'accepted' || found === 'accepted') expect([text, found]).toEqual([text, expected]);
      }),
      { numRuns: 5 * RUNS },
    );
    expect([...kinds]).toEqual(expect.arrayContaining(['accepted', 'syntax', 'not_utf8']));
  });

  it.each([
    ['', 'syntax'],
    [' ', 'syntax'],
    ['[]', 'not_an_object'],
    ['12', 'not_an_object'],
    ['null ', 'not_an_object'],
    ['"text"', 'not_an_object'],
    ['{}{}', 'syntax'],
    ['{}x', 'syntax'],
    ['{"a":1,}', 'syntax'],
    ['{"a":01}', 'syntax'],
    ['{"a":1.}', 'syntax'],
    ['{"a":[1}', 'syntax'],
    ['{"a":"\\u12g4"}', 'syntax'],
    ['\ufeff{}', 'syntax'],
    ['{"a":nulL}', 'syntax'],
    [' {"a":"\\ud800"} \n', 'accepted'],
  ])('%j: %s', (text, expected) => {
    expect(outcome(Buffer.from(text))).toBe(expected);
    expect(outcome(Buffer.from(text), [1, 2, 3, 4, 5, 6, 7, 8])).toBe(expected);
  });

  it('finds every byte that ends, escapes or spoils a string, wherever it is in a long one', () => {
    const texts = ['"', '\\n', '\\x', '\u001f', '\0', ' ', '\u007f', '\u00e9'];
    for (const text of texts)
      for (let place = 0; place <= 20; place++) {
        const json = `{"${'a'.repeat(place)}${text}${'b'.repeat(20 - place)}":1}`;
        const accepted = isJson(json);
        expect([json, outcome(Buffer.from(json), [place])]).toEqual([json, accepted ? 'accepted' : 'syntax']);
      }
  });

  it('refuses a character that is cut off at the end', () => {
    expect(outcome(Buffer.from([0x7b, 0x22, 0xe2, 0x82]))).toBe('not_utf8');
  });

  it('counts brackets and commas, but not in strings', () => {
    const limits = { depth: 3, values: 6 };
    expect(outcome(Buffer.from('{"a":[1,2],"b":[{"c":"[[[{{{,,,"}]}'), [], limits)).toBe('accepted');
    expect(outcome(Buffer.from('{"a":[1,2],"b":[{"c":0,"d":0}]}'), [], limits)).toBe('too_many_values');
    expect(outcome(Buffer.from('{"a":[[[1]]]}'), [], limits)).toBe('too_deep');
  });
});
