import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { typeName } from '@platform/errors';
import { FieldRule } from './field-rule';

/**
 * Length of a text in Unicode characters (code points): an emoji counts as one, a letter with a combining accent as
 * two.
 */
export interface TextLength {
  /** From 1 on, the text must not be blank either. Default 0. */
  min?: number;
  max: number;
}

/** A text field with its length, for the validation pipe and the OpenAPI document. */
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
  // A text has at most as many characters as code units, and counting a long one costs time.
  if (value.length > 2 * max) return `must have ${allowed} characters`;
  const characters = [...value].length;
  if (characters < min || characters > max) return `must have ${allowed} characters, not ${characters}`;
  return min > 0 && value.trim() === '' ? 'must not be blank' : undefined;
}

/** Whether a text can be stored and sent: it has no lone surrogates and no null characters. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
