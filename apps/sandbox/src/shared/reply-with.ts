import { type FastifyReply } from 'fastify';
import { type Answer } from './answer';

/** Sends an answer that no directive touches. */
export function replyWith(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}
