import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from '@nestjs/swagger';
import type { ErrorCode } from '@app/errors';
import { ProblemDto } from '../dto/problem.dto';
import { problemReply, statusesOf } from './problem-reply';

const CODES = 'http:problem-codes';

/**
 * Documents errors that an operation can give, one reply for each status with the codes it can carry. It may stand on a
 * handler several times, in other decorators too: the codes add up.
 */
export function ProblemReplies(...codes: ErrorCode[]): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const known = (Reflect.getMetadata(CODES, handler) as ErrorCode[] | undefined) ?? [];
    const all = [...new Set([...known, ...codes])].sort();
    const replies = statusesOf(all).map(({ status, codes: group }) => ApiResponse({ status, ...problemReply(group) }));
    applyDecorators(SetMetadata(CODES, all), ApiExtraModels(ProblemDto), ...replies)(target, key, descriptor);
  };
}
