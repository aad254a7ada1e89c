import type { FastifyInstance, FastifyRequest } from 'fastify';
import { traceIds } from '@platform/tracing';
import { onReplyClosed } from '../connections/on-reply-closed';

/** Logged status of a request whose client disconnected before the reply; it is never sent. */
const CLIENT_DISCONNECTED = 499;

/** A request that has ended, with or without its client. */
export interface EndedRequest {
  request: FastifyRequest;
  status: number;
  durationMs: number;
  /** The trace that it is part of; undefined while traces are off. */
  traceId: string | undefined;
}

/**
 * Reports every request exactly once, when its reply is complete or its connection is closed: a request of a client
 * that disconnected may still be charged, so it is reported as well.
 */
export function observeRequests(server: FastifyInstance, observe: (ended: EndedRequest) => void): void {
  server.addHook('onRequest', (request, reply, done) => {
    const begun = performance.now();
    const { raw } = reply;
    const traceId = traceIds()?.trace_id;
    onReplyClosed(raw, () => {
      const status = raw.headersSent ? raw.statusCode : CLIENT_DISCONNECTED;
      observe({ request, status, durationMs: performance.now() - begun, traceId });
    });
    done();
  });
}
