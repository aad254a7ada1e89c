import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IsText, IsTime } from './field-rules';

class Sample {
  @IsText({ min: 1, max: 5 })
  text: unknown;
}

function textFaults(text: unknown): string[] {
  return validateSync(Object.assign(new Sample(), { text })).flatMap(({ constraints }) =>
    Object.values(constraints ?? {}),
  );
}

describe('IsText', () => {
  it.each([
    ['one character', 'a'],
    ['five', 'abcde'],
    ['five emoji, ten code units', '😀😀😀😀😀'],
    ['two letters with combining accents and one without', 'e\u0301o\u0308a'],
    ['a line feed', 'a\nb'],
  ])('takes %s', (_, text) => expect(textFaults(text)).toEqual([]));

  it.each([
    ['nothing', '', 'text must have 1 to 5 characters, not 0'],
    ['six characters', 'abcdef', 'text must have 1 to 5 characters, not 6'],
    ['six emoji', '😀😀😀😀😀😀', 'text must have 1 to 5 characters'],
    ['five letters and a combining accent', 'abcde\u0301', 'text must have 1 to 5 characters, not 6'],
    ['a number', 12, 'text must be a string, not a number'],
    ['null', null, 'text must be a string, not null'],
    ['a list', ['a'], 'text must be a string, not an array'],
    ['a missing field', undefined, 'text is required'],
    ['the null character', 'a\0', 'text must not contain the null character or half a surrogate pair'],
    ['blanks', ' \t\u00a0\n', 'text must not be blank'],
    ['a very long text', 'a'.repeat(11), 'text must have 1 to 5 characters'],
    ['half an emoji', '\ud83d', 'text must not contain the null character or half a surrogate pair'],
  ])('refuses %s', (_, text, fault) => expect(textFaults(text)).toEqual([fault]));
});

class Range {
  @IsTime()
  from?: unknown;

  @IsTime({ notBefore: 'from' })
  to?: unknown;
}

const read = (input: object) => plainToInstance(Range, { from: '2026-01-01T00:00:00Z', ...input });
const faults = (input: object) =>
  validateSync(read(input), { skipMissingProperties: true }).flatMap(({ constraints }) =>
    Object.values(constraints ?? {}),
  );

describe('IsTime', () => {
  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000000Z'],
    ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000000Z'],
    ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500000Z'],
    ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123456Z'],
    ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123456Z'],
    ['2026-02-01T00:30:00+01:00', '2026-01-31T23:30:00.000000Z'],
    ['2024-02-29T23:00:00-05:00', '2024-03-01T04:00:00.000000Z'],
  ])('takes %s', (text, expected) => {
    expect(faults({ from: text, to: undefined })).toEqual([]);
    expect(read({ from: text }).from).toBe(expected);
  });

  const WANTED = 'to must be a time as RFC 3339 with an offset, such as 2026-01-31T12:00:00Z';
  it.each([
    ['', WANTED],
    ['now', WANTED],
    ['2026-01-31T12:00Z', WANTED],
    ['2026-01-31T12:00:00', WANTED],
    ['2026-01-31 12:00:00Z', WANTED],
    ['infinity', WANTED],
    [7, WANTED],
    ['2026-01-31', `${WANTED}: a date alone begins at another moment in each time zone`],
    [
      '2026-01-31T12:00:00 01:00',
      'to must have a plus sign before its offset, not a space: in an address, write it as %2B',
    ],
    ['2026-02-31T12:00:00Z', 'to must be a time that exists'],
    ['2025-02-29T12:00:00Z', 'to must be a time that exists'],
    ['2026-01-31T24:00:00Z', 'to must be a time that exists'],
    ['2026-01-31T12:00:60Z', 'to must be a time that exists'],
    ['2026-01-31T12:00:00+25:00', 'to must be a time that exists'],
    ['0000-01-31T12:00:00Z', 'to must be a time that exists'],
    ['9999-12-31T23:59:59-01:00', 'to must be a time that exists'],
    [['2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'], 'to can be given only once'],
    ['2025-12-31T23:59:59.999999Z', 'to must not be before from'],
    ['2026-01-01T00:30:00+01:00', 'to must not be before from'],
  ])('refuses %s', (to, fault) => expect(faults({ to })).toEqual([fault]));

  it('takes a range that ends where it begins', () => expect(faults({ to: '2026-01-01T01:00:00+01:00' })).toEqual([]));
});
