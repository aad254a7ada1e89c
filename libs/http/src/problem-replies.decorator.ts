import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { type ErrorCode, errorCatalog } from '@app/errors';
import { ProblemDto } from './dto/problem.dto';

/** Documents the errors an operation can give, one reply for each status with the codes it can carry. */
export function ProblemReplies(...codes: ErrorCode[]): MethodDecorator & ClassDecorator {
  const byStatus = Map.groupBy(codes, (code) => errorCatalog[code].status);
  return applyDecorators(
    ApiExtraModels(ProblemDto),
    ...[...byStatus].map(([status, group]) =>
      ApiResponse({
        status,
        description: group.map((code) => `${errorCatalog[code].title} (\`${code}\`)`).join('; '),
        content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDto) } } },
      }),
    ),
  );
}
