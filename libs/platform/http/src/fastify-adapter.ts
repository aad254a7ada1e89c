import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { fastify } from 'fastify';
import type { AppConfig } from '@platform/config';
import { boundConnections } from './connections/bound-connections';
import { mostConnections } from './connections/connection-limit';
import { isReadable, UNREADABLE_ADDRESS } from './routing/readable-address';
import { setRequestId } from './hooks/reply-headers';
import { problemOf } from './problems/problem';
import { collectRoutes } from './routing/routes';
import { sendProblem } from './problems/send-problem';

/** Maximum size of a request's headers in bytes, and maximum time for a request to arrive. */
const LIMITS = { maxHeaderSize: 16_384, requestTimeoutMs: 120_000, keepAliveMs: 72_000 };
const SANE_REQUEST_ID = /^[\w.~:+/=-]{1,128}$/;

/** The HTTP server, configured so that all its own error replies are problem details too. */
export function createAdapter(config: AppConfig): FastifyAdapter {
  const server = fastify({
    trustProxy: config.TRUST_PROXY?.split(',').map((part) => part.trim()) ?? false,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
    },
    keepAliveTimeout: LIMITS.keepAliveMs,
    requestTimeout: LIMITS.requestTimeoutMs,
    // Node's own reply to a missing Host is not a problem: see requireHost.
    http: { maxHeaderSize: LIMITS.maxHeaderSize, requireHostHeader: false },
    return503OnClosing: false,
    // No parameter can be longer than the headers, so the router never refuses one by itself.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: LIMITS.maxHeaderSize },
    rewriteUrl: ({ url = '/' }) => (isReadable(url) ? url : UNREADABLE_ADDRESS),
    frameworkErrors: (error, request, reply) => {
      setRequestId(reply, request.id);
      sendProblem(reply, problemOf(error, request.id));
    },
    clientErrorHandler: answerUnreadable,
  });
  // The body is read after the guards. Until then its content type is not checked either.
  for (const method of server.supportedMethods) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  // An expectation other than 100-continue may be ignored (RFC 9110 §10.1.1); Node would refuse it without a body.
  server.server.on('checkExpectation', (request, reply) => server.server.emit('request', request, reply));
  boundConnections(server.server, mostConnections(config));
  collectRoutes(server);
  return new FastifyAdapter(server as never);
}

/** Replies to bytes that are not HTTP, directly on the connection. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // The client sent more after a request with `Connection: close`: the pending reply is the last one.
  if (error.code === 'HPE_CLOSED_CONNECTION') return;
  const id = randomUUID();
  const known = error.code === 'HPE_HEADER_OVERFLOW' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const code = known ? error.code : 'MALFORMED_HTTP';
  const problem = problemOf(Object.assign(new Error(), { code }), id);
  const body = JSON.stringify(problem.body);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.body.title}\r\ncontent-type: application/problem+json\r\nx-request-id: ${id}\r\nrequest-id: ${id}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
