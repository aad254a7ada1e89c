import type { FastifyInstance } from 'fastify';
import { ServiceError } from '@platform/errors';

/**
 * Refuses HTTP/1.1 without a Host (RFC 9112 §3.2), after the request was counted; Node's own reply would not be a
 * problem.
 */
export function requireHost(server: FastifyInstance): void {
  server.addHook('preValidation', ({ headers, raw }, _reply, done) => {
    if (headers.host !== undefined || raw.httpVersion !== '1.1') return done();
    done(new ServiceError('invalid_request', 'The Host header is missing'));
  });
}
