import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onReplyClosed } from '../connections/on-reply-closed';

/** What is noted of a request whose caller hung up before it was answered; no caller ever sees it. */
const CLIENT_DISCONNECTED = 499;

/** A request that has ended, with or without a caller who still listened. */
export interface EndedRequest {
  request: FastifyRequest;
  status: number;
  durationMs: number;
}

/**
 * Tells of every request exactly once, when its connection has the last of the reply or is closed: what a caller that
 * hung up has begun may still be charged, so it is not passed over.
 */
export function observeRequests(server: FastifyInstance, observe: (ended: EndedRequest) => void): void {
  server.addHook('onRequest', (request, reply, done) => {
    const begun = performance.now();
    const { raw } = reply;
    onReplyClosed(raw, () => {
      const status = raw.headersSent ? raw.statusCode : CLIENT_DISCONNECTED;
      observe({ request, status, durationMs: performance.now() - begun });
    });
    done();
  });
}
