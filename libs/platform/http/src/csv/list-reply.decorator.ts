import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';

/**
 * Describes the reply of a list that is to be had as CSV too. That is told in words: with a second content type, generated
 * clients would take every page for an object or a text.
 */
export function PageOrCsvReply(page: Type, description: string): MethodDecorator {
  return applyDecorators(
    ApiOkResponse({
      type: page,
      description: `${description} With \`Accept: text/csv\` all of them in one reply, without paging: a column for each field (RFC 4180).`,
    }),
  );
}
