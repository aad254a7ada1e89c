import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { fastify, type FastifyInstance } from 'fastify';
import type { AppConfig } from '@app/config';
import { problemOf } from './problem';
import { collectRoutes } from './routes';
import { sendProblem } from './send-problem';

/** Headers a request may have, in bytes, and the longest a request may take to arrive. */
const LIMITS = { maxHeaderSize: 16_384, requestTimeoutMs: 120_000, keepAliveMs: 72_000 };
const SANE_REQUEST_ID = /^[\w.~:+/=-]{1,128}$/;

/** The HTTP server, set up so that everything it answers by itself has our shape too. */
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
    http: { maxHeaderSize: LIMITS.maxHeaderSize },
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id);
      sendProblem(reply, problemOf(error, request.id));
    },
    clientErrorHandler: answerUnreadable,
  });
  // The body is read after the guards have let the caller in, so it stays a stream until then.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  collectRoutes(server as unknown as FastifyInstance);
  return new FastifyAdapter(server as never);
}

/** Answers what is not HTTP at all, on the bare connection. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const known = error.code === 'HPE_HEADER_OVERFLOW' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const problem = problemOf(known ? error : Object.assign(new Error(), { code: 'MALFORMED_HTTP' }), id);
  const body = JSON.stringify(problem.body);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.body.title}\r\ncontent-type: application/problem+json\r\nx-request-id: ${id}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
