import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { onReplyClosed } from './connections/on-reply-closed';

/** A signal that aborts when the client has disconnected or has its reply: for work that only this client needs. */
export const ClientGone = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const { raw } = context.switchToHttp().getResponse<FastifyReply>();
  const gone = new AbortController();
  if (raw.destroyed || raw.socket?.destroyed) gone.abort();
  else onReplyClosed(raw, () => gone.abort());
  return gone.signal;
});
