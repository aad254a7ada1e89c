import { validateSync } from 'class-validator';
import { IsText } from './is-text.decorator';

class Sample {
  @IsText({ min: 1, max: 5 })
  text: unknown;
}

function faults(text: unknown): string[] {
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
  ])('takes %s', (_, text) => expect(faults(text)).toEqual([]));

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
  ])('refuses %s', (_, text, fault) => expect(faults(text)).toEqual([fault]));
});
