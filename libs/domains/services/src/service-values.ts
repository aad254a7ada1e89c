import { isStorable, typeName } from '@platform/errors';

/** Limits in Unicode characters. */
export const SERVICE_TYPE_MAX = 100;
export const SERVICE_NAME_MAX = 200;

/** Characters of a config as JSON. */
const CONFIG_MAX = 20_000;

/** The fault of a config, to be appended to its name; undefined if it is valid. */
export function configFault(config: unknown): string | undefined {
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    return `must be an object, not ${typeName(config)}`;
  const unstorable: string[] = [];
  const text = JSON.stringify(config, (name, value: unknown) => {
    if (!isStorable(name) || (typeof value === 'string' && !isStorable(value))) unstorable.push(name);
    return value;
  });
  if (text.length > CONFIG_MAX) return `must have at most ${CONFIG_MAX} characters as JSON`;
  return unstorable.length === 0 ? undefined : 'must not contain the null character or half a surrogate pair';
}
