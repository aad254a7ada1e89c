import { typeName } from '@platform/errors';
import { FieldRule } from './field-rule';

/** A text that is one of the choices. */
export function IsOneOf(choices: readonly string[]): PropertyDecorator {
  return FieldRule((value) => {
    if (typeof value === 'string' && choices.includes(value)) return undefined;
    const wanted = `must be one of ${choices.join(', ')}`;
    return typeof value === 'string' ? wanted : `${wanted}, not ${typeName(value)}`;
  });
}
