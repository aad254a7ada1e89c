import { ValidateBy } from 'class-validator';

/**
 * What is wrong with a field's value, in words that begin behind the field's name, such as `must be a string`; nothing if
 * it is right. `input` is all that came with it.
 */
export type FaultOf = (value: unknown, input: Readonly<Record<string, unknown>>) => string | undefined;

/** Declares a field's rule for the validation pipe. A field that is missing is said to be required, whatever the rule. */
export function FieldRule(faultOf: FaultOf): PropertyDecorator {
  return ValidateBy({
    name: 'fieldRule',
    validator: {
      validate: (value, faults) => faultOf(value, inputOf(faults)) === undefined,
      defaultMessage: (faults) => {
        const value: unknown = faults?.value;
        const fault = value === undefined ? 'is required' : faultOf(value, inputOf(faults));
        return `${faults?.property ?? 'it'} ${fault ?? 'is not valid'}`;
      },
    },
  });
}

function inputOf(faults?: { object: object }): Record<string, unknown> {
  return (faults?.object ?? {}) as Record<string, unknown>;
}
