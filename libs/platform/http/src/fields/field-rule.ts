import { ValidateBy } from 'class-validator';

/**
 * Returns the fault of a field's value, to be appended to the field's name, such as `must be a string`; undefined if
 * the value is valid. `input` has all fields.
 */
export type FaultOf = (value: unknown, input: Readonly<Record<string, unknown>>) => string | undefined;

/** Declares a field's rule for the validation pipe. A missing field is reported as required, whatever the rule. */
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
