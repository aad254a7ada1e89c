import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { typeName } from '@platform/errors';
import { FieldRule } from './field-rule';

/** A whole number in a JSON body. */
export function IsWholeNumber(): PropertyDecorator {
  return FieldRule((value) => {
    if (typeof value !== 'number') return `must be a whole number, not ${typeName(value)}`;
    return Number.isInteger(value) ? undefined : 'must be a whole number';
  });
}

/** A whole number in a query, written in digits. */
export function IsQueryNumber({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? Number(value) : value)),
    FieldRule((value) => {
      if (Array.isArray(value)) return 'can be given only once';
      const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
      return fits ? undefined : `must be a whole number from ${min} to ${max}`;
    }),
  );
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,9}$/.test(value);
}
