import { timeText } from '@platform/time';

/** A result as JSON has it: names in snake case, times as texts. */
export function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof Date) return timeText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      // The keys of JSON that an operator stored are not changed to snake case.
      name === 'config' || name === 'metadata' ? part : plainValue(part),
    ]),
  );
}

/** A value as the text of a table's cell. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(cellText).join(value.every(isObject) ? '\n' : ' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
