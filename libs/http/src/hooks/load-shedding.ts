import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '@app/errors';
import type { LoadShedder } from '../overload/load-shedder';
import { problemOf } from '../problem';
import { sendProblem } from '../send-problem';

/** Refuses at once what cannot be served in time. */
export function addLoadShedding(server: FastifyInstance, shedder: LoadShedder): void {
  const refused = new WeakSet<FastifyRequest>();
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health/') || shedder.admit()) return done();
    refused.add(request);
    const busy = new ServiceError('service_unavailable', 'There are more requests than can be served; try again', {
      retryAfterSeconds: 1,
    });
    sendProblem(reply, problemOf(busy, request.id));
  });
  server.addHook('onResponse', (request, _reply, done) => {
    if (!refused.has(request)) shedder.finish();
    done();
  });
}
