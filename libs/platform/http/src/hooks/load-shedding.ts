import type { FastifyInstance } from 'fastify';
import { ServiceError } from '@platform/errors';
import { onReplyClosed } from '../connections/on-reply-closed';
import type { LoadShedder } from '../overload/load-shedder';
import { problemOf } from '../problems/problem';
import { sendProblem } from '../problems/send-problem';

/** Refuses requests at once that cannot be served in time. */
export function addLoadShedding(server: FastifyInstance, shedder: LoadShedder): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health/')) return done();
    if (shedder.admit()) {
      // 'close' covers both: answered, or the client disconnected, as most do in an overload.
      onReplyClosed(reply.raw, () => shedder.finish());
      return done();
    }
    const busy = new ServiceError('service_unavailable', 'There are more requests than can be served; try again', {
      retryAfterSeconds: 1,
    });
    sendProblem(reply, problemOf(busy, request.id));
  });
}
