import type { FastifyReply } from 'fastify';
import type { Problem } from './problem';

/** Writes a problem as the reply. */
export function sendProblem(reply: FastifyReply, { status, headers, body }: Problem): void {
  void reply.code(status).headers(headers).type('application/problem+json').send(JSON.stringify(body));
}
