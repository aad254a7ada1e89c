import type { ErrorCode } from '@platform/errors';
import type { Operation } from '../document';

/** Error codes that an operation declares, each with its detail if it names one. */
export type DeclaredProblems = Partial<Record<ErrorCode, string | null>>;

/** Prefix of extensions that carry an operation's errors through the generator; they are removed from the document. */
export const PROBLEM_PREFIX = 'x-problem-';

/** Removes the declared errors from an operation and returns them. */
export function takeDeclaredProblems(operation: Operation): DeclaredProblems {
  const fields = operation as unknown as Record<string, unknown>;
  const names = Object.keys(fields).filter((name) => name.startsWith(PROBLEM_PREFIX));
  const declared = names.map((name) => [name.slice(PROBLEM_PREFIX.length), fields[name]]);
  for (const name of names) Reflect.deleteProperty(fields, name);
  return Object.fromEntries(declared) as DeclaredProblems;
}
