import type { FastifyInstance } from 'fastify';
import { ServiceError } from '@platform/errors';
import { onReplyClosed } from '../connections/on-reply-closed';
import type { LoadShedder } from '../overload/load-shedder';
import { problemOf } from '../problems/problem';
import { sendProblem } from '../problems/send-problem';

/** Refuses at once what cannot be served in time. */
export function addLoadShedding(server: FastifyInstance, shedder: LoadShedder): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health/')) return done();
    if (shedder.admit()) {
      // Answered, or its caller has hung up: of a flood of callers without patience most end so.
      onReplyClosed(reply.raw, () => shedder.finish());
      return done();
    }
    const busy = new ServiceError('service_unavailable', 'There are more requests than can be served; try again', {
      retryAfterSeconds: 1,
    });
    sendProblem(reply, problemOf(busy, request.id));
  });
}
