import type { FastifyInstance } from 'fastify';
import type { Draining } from '../draining';

/** While the process is draining, a reply is the last one of its connection. The request is served as any other. */
export function closeWhileDraining(server: FastifyInstance, draining: Draining): void {
  server.addHook('onRequest', (_request, reply, done) => {
    if (draining.active) reply.header('connection', 'close');
    done();
  });
}
