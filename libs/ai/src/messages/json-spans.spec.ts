import fc from 'fast-check';
import { memberSpans } from './json-spans';

const NAMES = new Set(['messages', 'system']);
const valueOf = (json: string, name: string) => {
  const bytes = Buffer.from(json);
  const span = memberSpans(bytes, NAMES).get(name);
  return span && bytes.toString('utf8', span.start, span.end);
};

describe('memberSpans', () => {
  it.each([
    ['{"messages":[1]}', '[1]'],
    [' \n{ "a" : "x" , "messages"\t:\r\n [ 1 , {"b":"]}"} ] , "c":null}', '[ 1 , {"b":"]}"} ]'],
    ['{"messages":"a\\"b\\\\"}', '"a\\"b\\\\"'],
    ['{"x":"\\\\","messages":-1.50e+10}', '-1.50e+10'],
    ['{"messages":1,"messages":{"two":2}}', '{"two":2}'],
    ['{"mess\\u0061ges":"escaped name"}', '"escaped name"'],
    ['{"x":{"messages":"not mine"},"messages":true}', 'true'],
    [
      '{"messages":[{"n":12345678901234567890,"n":1.0,"é":"\\ud83d"}]}',
      '[{"n":12345678901234567890,"n":1.0,"é":"\\ud83d"}]',
    ],
  ])('finds the value in %s', (json, value) => {
    expect(valueOf(json, 'messages')).toBe(value);
  });

  it('finds nothing where there is nothing', () => {
    expect(valueOf('{}', 'messages')).toBeUndefined();
    expect(valueOf('{"system":"s"}', 'messages')).toBeUndefined();
  });

  it('agrees with JSON.parse on any object, however it is spaced', () => {
    const spaces = fc.constantFrom(undefined, 0, 1, 4, '\t', ' \n');
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue(),
        fc.jsonValue(),
        spaces,
        (rest, messages, system, space) => {
          const json = JSON.stringify({ ...rest, messages, more: rest, system }, null, space);
          const parsed = JSON.parse(json) as Record<string, unknown>;
          for (const name of NAMES) expect(JSON.parse(valueOf(json, name)!)).toEqual(parsed[name]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
