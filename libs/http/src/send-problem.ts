import type { FastifyReply } from 'fastify';
import { discardRest, isSmall, isStillArriving } from './discard-rest';
import type { Problem } from './problem';

/** Writes a problem as the reply. A caller that is still sending its body gets to read it. */
export function sendProblem(reply: FastifyReply, { status, headers, body }: Problem): void {
  void reply.code(status).headers(headers).type('application/problem+json');
  if (isStillArriving(reply.request.raw)) letRestArrive(reply);
  void reply.send(JSON.stringify(body));
}

/** Sees to it that the connection is not closed while the caller is sending: it would lose the answer. */
function letRestArrive(reply: FastifyReply): void {
  const { raw: request } = reply.request;
  const closes = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
  if (!closes && isSmall(request)) return;
  const close = () => {
    if (reply.raw.writableFinished) request.socket.destroySoon();
    else reply.raw.once('finish', () => request.socket.destroySoon());
  };
  void discardRest(request, close).then(() => closes && close());
  if (!closes) return;
  // Node would close the connection with the end of the reply.
  reply.raw.shouldKeepAlive = true;
  void reply.removeHeader('connection');
}
