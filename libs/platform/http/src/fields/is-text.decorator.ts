import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { typeName } from '@platform/errors';
import { FieldRule } from './field-rule';

/** How long a text may be, in Unicode characters (code points): an emoji counts as one, a letter with a combining accent as two. */
export interface TextLength {
  /** From 1 on, the text must have something else than blanks, too. Default 0. */
  min?: number;
  max: number;
}

/** Declares a text field and its length, for the validation pipe and for the OpenAPI document. */
export function IsText(length: TextLength): PropertyDecorator {
  const { min = 0, max } = length;
  return applyDecorators(
    FieldRule((value) => textFault(value, length)),
    ApiProperty({ ...(min > 0 ? { minLength: min, pattern: '\\S' } : {}), maxLength: max }),
  );
}

function textFault(value: unknown, { min = 0, max }: TextLength): string | undefined {
  if (typeof value !== 'string') return `must be a string, not ${typeName(value)}`;
  if (!isStorable(value)) return 'must not contain the null character or half a surrogate pair';
  const allowed = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  // No text has more characters than code units, and counting a long one costs.
  if (value.length > 2 * max) return `must have ${allowed} characters`;
  const characters = [...value].length;
  if (characters < min || characters > max) return `must have ${allowed} characters, not ${characters}`;
  return min > 0 && value.trim() === '' ? 'must not be blank' : undefined;
}

/** Whether a text can be stored and sent on: no character is half of a pair, and none is the null character. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
