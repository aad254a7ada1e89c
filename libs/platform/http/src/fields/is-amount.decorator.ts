import { typeName } from '@platform/errors';
import { FieldRule } from './field-rule';

/** Declares an amount of money: a number in a range, with two decimals at most. */
export function IsAmount({ min, max }: { min: number; max: number }): PropertyDecorator {
  return FieldRule((value) => {
    if (typeof value !== 'number') return `must be a number, not ${typeName(value)}`;
    if (!(value >= min && value <= max)) return `must be from ${min} to ${max}`;
    // The nearest number with two decimals is the same one, or there are more. `multipleOf` would refuse 1234.56.
    return Math.round(value * 100) / 100 === value ? undefined : 'must have two decimals at most';
  });
}
