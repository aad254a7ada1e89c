import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';

/** How long a text may be, in Unicode characters (code points): an emoji counts as one, a letter with a combining accent as two. */
export interface TextLength {
  min?: number;
  max: number;
}

/** Whether a text can be stored and sent on: no character is half of a pair, and none is the null character. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Declares a text field and its length, for the validation pipe and for the OpenAPI document. */
export function IsText({ min = 0, max }: TextLength): PropertyDecorator {
  const length = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  return applyDecorators(
    ValidateBy({
      name: 'isText',
      validator: {
        validate: (value) => {
          if (typeof value !== 'string' || !isStorable(value)) return false;
          // No text has more characters than code units, and counting a long one costs.
          if (value.length < min || value.length > 2 * max) return false;
          const characters = [...value].length;
          return characters >= min && characters <= max;
        },
        defaultMessage: (faults) => {
          const property = faults?.property ?? 'it';
          const value: unknown = faults?.value;
          if (typeof value !== 'string') return `${property} must be a text`;
          if (!isStorable(value)) return `${property} must not contain the null character or half a surrogate pair`;
          return `${property} must have ${length} characters`;
        },
      },
    }),
    ApiProperty({ ...(min > 0 ? { minLength: min } : {}), maxLength: max }),
  );
}
