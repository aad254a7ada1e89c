import { type FastifyReply } from 'fastify';
import { type Answer } from './answer';

/** Sends a reply unchanged by directives. */
export function replyWith(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}
