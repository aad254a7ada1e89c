import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Answer } from '../shared/answer';
import { bearerToken } from '../shared/credentials';
import { type Directives } from '../shared/faults/directives';
import { type FikenControl } from './fiken-control';
import { fikenError, refuseByDirective, refuseToken, tooManyRequests } from './fiken-errors';
import { FikenRefusal } from './fiken-query';

/** Answers a request with `respond`, unless its token, its directives or a request in progress prevent it. */
export function serve(
  control: FikenControl,
  request: FastifyRequest,
  reply: FastifyReply,
  respond: (directives: Directives) => Answer,
  account?: string,
): void {
  const token = bearerToken(control.receive(request).headers.authorization);
  const crowded = control.enter(reply);
  control.answer(reply, {
    find: () => control.inText(token ?? ''),
    ...(account !== undefined && { account }),
    respond: (directives) =>
      refuseToken(token) ??
      refuseByDirective(directives) ??
      (crowded ? tooManyRequests(1) : attempt(() => respond(directives))),
    complain: (message) => fikenError(400, message),
  });
}

function attempt(respond: () => Answer): Answer {
  try {
    return respond();
  } catch (error) {
    if (error instanceof FikenRefusal) return fikenError(error.status, error.message);
    throw error;
  }
}
