import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiExtraModels } from '@nestjs/swagger';
import type { ErrorCode } from '@platform/errors';
import { ProblemDto } from '../../dto/problem.dto';
import { PROBLEM_PREFIX } from './declared-problems';

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
