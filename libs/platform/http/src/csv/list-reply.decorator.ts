import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';

/** Describes the reply of a list that is to be had as CSV too. */
export function PageOrCsvReply(page: Type, description: string): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(page),
    ApiOkResponse({
      description: `${description} With \`Accept: text/csv\` all of them in one reply, without paging: a column for each field (RFC 4180).`,
      content: {
        'application/json': { schema: { $ref: getSchemaPath(page) } },
        'text/csv': { schema: { type: 'string' } },
      },
    }),
  );
}
