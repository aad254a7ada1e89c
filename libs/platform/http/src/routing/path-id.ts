import type { PipeTransform } from '@nestjs/common';
import { ServiceError } from '@platform/errors';

const SHAPES = { integer: /^[1-9]\d{0,8}$/, uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i };

/** Parses an id from the path. An id of the wrong format is not found, like an unknown id. */
export const PathId = {
  integer: pathId('integer', Number),
  uuid: pathId('uuid', (text) => text.toLowerCase()),
};

function pathId<Id>(shape: keyof typeof SHAPES, convert: (text: string) => Id): PipeTransform<string, Id> {
  return {
    transform(text) {
      if (!SHAPES[shape].test(text)) throw new ServiceError('not_found', 'There is nothing at this address');
      return convert(text);
    },
  };
}
