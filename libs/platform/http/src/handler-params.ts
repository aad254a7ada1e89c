import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '@platform/errors';
import { onReplyClosed } from './connections';

const SHAPES = { integer: /^[1-9]\d{0,8}$/, uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i };
const NOT_FOUND = {
  integer: 'There is no such id: an id is a whole number, such as 17',
  uuid: 'There is no such id: an id is a UUID, such as 3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11',
};

/** Parses an id from the path. An id of the wrong format is not found, like an unknown id. */
export const PathId = {
  integer: pathId('integer', Number),
  uuid: pathId('uuid', (text) => text.toLowerCase()),
};

function pathId<Id>(shape: keyof typeof SHAPES, convert: (text: string) => Id): PipeTransform<string, Id> {
  return {
    transform(text) {
      if (!SHAPES[shape].test(text)) throw new ServiceError('not_found', NOT_FOUND[shape]);
      return convert(text);
    },
  };
}

/** A signal that aborts when the client has disconnected or has its reply: for work that only this client needs. */
export const ClientGone = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientGone(context.getArgByIndex<FastifyReply>(1)),
);

/** The signal of {@link ClientGone}. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed || raw.socket?.destroyed) gone.abort();
  else onReplyClosed(raw, () => gone.abort());
  return gone.signal;
}
