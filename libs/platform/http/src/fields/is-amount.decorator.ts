import { typeName } from '@platform/errors';
import { FieldRule } from './field-rule';

/** An amount of money: a number in a range, with two decimals at most. */
export function IsAmount({ min, max }: { min: number; max: number }): PropertyDecorator {
  return FieldRule((value) => {
    if (typeof value !== 'number') return `must be a number, not ${typeName(value)}`;
    if (!(value >= min && value <= max)) return `must be from ${min} to ${max}`;
    // A number that changes when rounded has more than two decimals. `multipleOf` would refuse 1234.56.
    return Math.round(value * 100) / 100 === value ? undefined : 'must have two decimals at most';
  });
}
