import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { discardRest, isSmall, isStillArriving } from '../body/discard/discard-rest';
import type { Problem } from './problem';
import { inDialect } from './problem-dialects';

/** Sends a problem as the reply. A client that is still sending its body can read it. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const { status, headers, body } = inDialect(reply.request, problem);
  const text = JSON.stringify(body);
  void reply.code(status).headers(headers).type('application/problem+json');
  const { raw: request } = reply.request;
  const closes = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
  if (!isStillArriving(request) || (!closes && isSmall(request))) return void reply.send(text);
  const discarded = discardRest(request, () => {
    if (reply.raw.writableFinished) request.socket.destroySoon();
    else reply.raw.once('finish', () => request.socket.destroySoon());
  });
  if (!closes) return void reply.send(text);
  // Node closes such a connection at the end of the reply: the whole text is sent, the end after that of the body.
  void reply.header('content-length', Buffer.byteLength(text)).send(Readable.from(textUntil(text, discarded)));
}

async function* textUntil(text: string, ended: Promise<void>): AsyncGenerator<string> {
  yield text;
  await ended;
}
