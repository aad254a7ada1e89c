import type { FastifyInstance } from 'fastify';
import { ServiceError } from '@platform/errors';
import type { Draining } from '../draining';
import { problemOf } from '../problems/problem';
import { sendProblem } from '../problems/send-problem';

/** Refuses new requests on open connections while the process is draining; another replica serves them. */
export function addDrainingGate(server: FastifyInstance, draining: Draining): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!draining.active || request.url.startsWith('/health/')) return done();
    const stopping = new ServiceError('service_unavailable', 'This server is stopping; try again', {
      retryAfterSeconds: 1,
    });
    sendProblem(reply.header('connection', 'close'), problemOf(stopping, request.id));
  });
}
