import type { FastifyInstance } from 'fastify';
import { ServiceError } from '@platform/errors';
import { onReplyClosed } from '../connections/on-reply-closed';
import type { LoadShedder } from '../overload/load-shedder';
import { type Queue, queueOf } from '../overload/queue';
import { problemOf } from '../problems/problem';
import { sendProblem } from '../problems/send-problem';

/** Made once: a refusal must be cheap, and a stack trace is not. */
const BUSY = new ServiceError('service_unavailable', 'There are more requests than can be served; try again', {
  retryAfterSeconds: 1,
});

/** Refuses requests at once that cannot be served in time. Each queue has its own shedder. */
export function addLoadShedding(server: FastifyInstance, shedders: Record<Queue, LoadShedder>): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health/')) return done();
    const shedder = shedders[queueOf(request)];
    if (shedder.admit()) {
      // 'close' covers both: answered, or the client disconnected, as most do in an overload.
      onReplyClosed(reply.raw, () => shedder.finish());
      return done();
    }
    sendProblem(reply, problemOf(BUSY, request.id));
  });
}
