import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiExtraModels } from '@nestjs/swagger';
import type { ErrorCode } from '@platform/errors';
import { ProblemDto } from '../dto/problem.dto';
import type { Operation } from './document';

/** Error codes that an operation declares, each with its detail if it names one. */
export type DeclaredProblems = Partial<Record<ErrorCode, string | null>>;

/** Prefix of extensions that carry an operation's errors through the generator; they are removed from the document. */
export const PROBLEM_PREFIX = 'x-problem-';

/**
 * Documents errors of an operation: codes, or codes with the detail. It can be applied several times, also through
 * other decorators: the codes add up.
 */
export function ProblemReplies(
  ...problems: (ErrorCode | readonly [code: ErrorCode, detail: string])[]
): MethodDecorator {
  const declared = problems.map((problem) => (typeof problem === 'string' ? ([problem, null] as const) : problem));
  const extensions = declared.map(([code, detail]) => ApiExtension(`${PROBLEM_PREFIX}${code}`, detail));
  return applyDecorators(ApiExtraModels(ProblemDto), ...extensions);
}

/** Removes the declared errors from an operation and returns them. */
export function takeDeclaredProblems(operation: Operation): DeclaredProblems {
  const fields = operation as unknown as Record<string, unknown>;
  const names = Object.keys(fields).filter((name) => name.startsWith(PROBLEM_PREFIX));
  const declared = names.map((name) => [name.slice(PROBLEM_PREFIX.length), fields[name]]);
  for (const name of names) Reflect.deleteProperty(fields, name);
  return Object.fromEntries(declared) as DeclaredProblems;
}
