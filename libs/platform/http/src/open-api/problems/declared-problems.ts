import type { ErrorCode } from '@platform/errors';
import type { Operation } from '../document';

/** Error codes that an operation declares, each with the detail that it writes, if it names one. */
export type DeclaredProblems = Partial<Record<ErrorCode, string | null>>;

/** Extensions that carry an operation's errors through the generator; nobody outside sees them. */
export const PROBLEM_PREFIX = 'x-problem-';

/** Takes the declared errors out of an operation. */
export function takeDeclaredProblems(operation: Operation): DeclaredProblems {
  const fields = operation as unknown as Record<string, unknown>;
  const names = Object.keys(fields).filter((name) => name.startsWith(PROBLEM_PREFIX));
  const declared = names.map((name) => [name.slice(PROBLEM_PREFIX.length), fields[name]]);
  for (const name of names) Reflect.deleteProperty(fields, name);
  return Object.fromEntries(declared) as DeclaredProblems;
}
