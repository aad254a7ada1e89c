import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Histogram } from 'prom-client';
import { API_PREFIX, AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { TimeShares } from '@platform/fairness';
import { AccessLog } from '@platform/logging';
import type { Metrics } from '@platform/metrics';
import { TOKEN_PREFIX } from '@platform/tokens';
import { isTracing, traceIds, traceRequest } from '@platform/tracing';
import { compressReplies } from './compression';
import { isDocumentation, keepDocumentationFiles } from './documentation-files';
import { boundConnections, mostConnections, onReplyClosed } from './connections';
import { serveErrorPage } from './error-page';
import { Draining } from './listening';
import { chargeReplies } from './load-shedding';
import { serveOpenApi } from './open-api/create-document';
import type { InterfaceParts } from './open-api/interface-parts';
import { parserFault, problemOf, sendProblem, setProblemDialect } from './problem';
import { collectRoutes, isReadable, UNREADABLE_ADDRESS } from './routing';
import { boundPieces, discardUnread, endLateBody, isCutOff, takesBody } from './unread-bodies';
import { boundReplies, endSlowReaders, ReplyMemory } from './unread-replies';

/** Maximum size of a request's headers in bytes, and maximum time for a request to arrive. */
const LIMITS = { maxHeaderSize: 16_384, requestTimeoutMs: 120_000, keepAliveMs: 72_000 };
const SANE_REQUEST_ID = /^[\w.~:+/=-]{1,128}$/;

/** A host and a port, or nothing (RFC 9110 §7.2). */
const HOST = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i;

/** A request target in absolute form: its host, and the rest. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)(.*)$/i;
/** A letter, a digit, `-`, `_` or `~` that is percent-encoded without need. */
const NEEDLESSLY_ENCODED = /%(?:2d|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;

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

/** Whether an id that a caller gave may stand in replies and logs: by mistake it may have a token in it. */
function isSaneRequestId(id: string): boolean {
  return SANE_REQUEST_ID.test(id) && !id.includes(TOKEN_PREFIX);
}

/** The HTTP server, configured so that all its own error replies are problem details too. */
export function createAdapter(config: AppConfig): FastifyAdapter {
  const server = fastify({
    trustProxy: config.TRUST_PROXY?.split(',').map((part) => part.trim()) ?? false,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && isSaneRequestId(given) ? given : randomUUID();
    },
    keepAliveTimeout: LIMITS.keepAliveMs,
    requestTimeout: LIMITS.requestTimeoutMs,
    // Node's own reply to a missing Host is not a problem document: see checkHeads.
    http: { maxHeaderSize: LIMITS.maxHeaderSize, requireHostHeader: false },
    return503OnClosing: false,
    // No parameter can be longer than the headers, so the router never refuses one by itself.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: LIMITS.maxHeaderSize },
    rewriteUrl: ({ url = '/' }) => (!url.includes('%') || isReadable(url) ? url : UNREADABLE_ADDRESS),
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
  boundConnections(server.server, { most: mostConnections(config), direct: config.TRUST_PROXY === undefined });
  boundPieces(server.server);
  readTargets(server.server);
  collectRoutes(server);
  return new FastifyAdapter(server as never);
}

/**
 * Gives the target of each request one form, before anything reads it: the origin form, in place of the absolute one, whose host counts,
 * not that of the header (RFC 9112 §3.2.2), and a path without needless percent encodings (RFC 3986 §6.2.2.2).
 */
function readTargets(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const { url = '' } = request;
    if (!url.startsWith('/')) readAbsoluteForm(request, url);
    if (url.includes('%') && isReadable(url)) request.url = withoutNeedlessEncoding(request.url ?? '');
  });
}

function readAbsoluteForm(request: IncomingMessage, url: string): void {
  const [, host, rest = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  if (host === undefined) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  // HTTP/1.1 without a Host header is refused all the same.
  if (request.headers.host !== undefined || request.httpVersion === '1.0') request.headers.host = host;
}

function withoutNeedlessEncoding(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.replace(NEEDLESSLY_ENCODED, decodeURIComponent) + url.slice(path.length);
}

/** Sets the prefix of the API's addresses. */
export function setApiPrefix(app: NestFastifyApplication, prefix = API_PREFIX): void {
  app.setGlobalPrefix(prefix, { exclude: ['health/live', 'health/ready'] });
}

/**
 * Configures the HTTP application apart from its modules: one function for the real process and for tests.
 */
export function configureApplication(app: NestFastifyApplication, parts: InterfaceParts): NestFastifyApplication {
  const server = app.getHttpAdapter().getInstance();
  const config = app.get(AppConfig);
  setApiPrefix(app, parts.prefix);
  traceRequests(server);
  if (AccessLog.isWanted(config)) logRequests(server, new AccessLog(config));
  addReplyHeaders(server, app.get(Draining));
  checkHeads(server);
  keepDocumentationFiles(server, parts.address(config));
  chargeReplies(server, app.get(TimeShares));
  compressReplies(server, isDocumentation);
  const replies = app.get(ReplyMemory);
  boundReplies(server, replies);
  endSlowReaders(server.server, config.REPLY_PATIENCE_MS, () => replies.slowReaders++);
  serveErrorPage(server, parts);
  if (parts.dialect) setProblemDialect(server, parts.dialect);
  serveOpenApi(app, config, parts);
  return app;
}

/**
 * Traces each request except health checks, below the span of the caller if it names one. To be added first: the work of other
 * hooks, log lines too, is then part of the span. Adds nothing while traces are off.
 */
function traceRequests(server: FastifyInstance): void {
  if (!isTracing()) return;
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health/')) return done();
    const { method, headers, id, routeOptions } = request;
    const route = routeOptions.url;
    const span = traceRequest([method, route].join(' ').trim(), headers, {
      'http.request.method': method,
      'http.route': route,
      'request.id': id,
    });
    if (!span) return done();
    const { raw } = reply;
    onReplyClosed(raw, () => {
      const status = raw.headersSent ? raw.statusCode : undefined;
      const attributes = { 'http.response.status_code': status, 'customer.id': request.customer?.customerId };
      // Without a status the caller has disconnected: not a fault of the service.
      span.end(attributes, status !== undefined && status >= 500);
    });
    span.run(done);
  });
}

/**
 * Reports every request exactly once, when its reply is complete or its connection is closed: a request of a client
 * that disconnected may still be charged, so it is reported as well.
 */
export function observeRequests(server: FastifyInstance, observe: (ended: EndedRequest) => void): void {
  const traced = isTracing();
  server.addHook('onRequest', (request, reply, done) => {
    const begun = performance.now();
    const { raw } = reply;
    const traceId = traced ? traceIds()?.trace_id : undefined;
    onReplyClosed(raw, () => {
      const status = raw.headersSent ? raw.statusCode : CLIENT_DISCONNECTED;
      observe({ request, status, durationMs: performance.now() - begun, traceId });
    });
    done();
  });
}

/** Measures requests that have ended, by route. */
export function requestMeter({ registry }: Metrics): (ended: EndedRequest) => void {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its reply; status 499: the client disconnected before it',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  });
  return ({ request: { method, routeOptions }, status, durationMs }) =>
    durations.observe({ method, route: routeOptions.url ?? 'unknown', status }, durationMs / 1000);
}

/**
 * Logs one line for each request except health checks. It has the route, not the address: an address may contain a
 * caller's data.
 */
function logRequests(server: FastifyInstance, log: AccessLog): void {
  observeRequests(server, ({ request, status, durationMs, traceId }) => {
    if (request.url.startsWith('/health/')) return;
    log.write({
      requestId: request.id,
      customerId: request.customer?.customerId,
      tokenId: request.customer?.tokenId,
      refusedToken: request.refusedToken,
      method: request.method,
      route: request.routeOptions.url,
      status,
      code: request.problem?.body.code,
      durationMs,
      traceId,
    });
  });
}

/** Sets the id of the request: under its own name, and under the one that SDKs of AI providers read. */
function setRequestId(reply: FastifyReply, id: string): void {
  void reply.header('x-request-id', id).header('request-id', id);
}

/**
 * Sets the headers of every reply. Replies contain a customer's data, so caches must not store them. While the process is
 * draining, a reply is the last one of its connection; the request is served as any other.
 */
function addReplyHeaders(server: FastifyInstance, draining: Draining): void {
  server.addHook('onRequest', (request, reply, done) => {
    setRequestId(reply, request.id);
    reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store');
    if (draining.active) reply.header('connection', 'close');
    done();
  });
}

/**
 * Refuses headers that a proxy in front may understand differently, after the request was counted: HTTP/1.1 without a Host or with
 * two, or one that is none (RFC 9112 §3.2), a transfer coding that is not understood (§6.1), two Authorization headers. Node's own reply
 * to the first would not be a problem; of two it would take one. The body of a request that has none by its method is discarded, within
 * bounds; that of a POST or PATCH is read, or discarded, behind the guards.
 */
function checkHeads(server: FastifyInstance): void {
  server.addHook('preValidation', ({ method, headers, raw }, reply, done) => {
    if (headers.host === undefined && raw.httpVersion === '1.1') return done(invalid('The Host header is missing'));
    if (headers.host !== undefined && !HOST.test(headers.host))
      return done(invalid('The host of the request is not valid'));
    const coding = headers['transfer-encoding'];
    if (coding !== undefined && coding.toLowerCase() !== 'chunked')
      return done(invalid('The only supported Transfer-Encoding is chunked: send the body without another encoding'));
    const twice = givenTwice(raw.rawHeaders);
    if (twice !== undefined) return done(invalid(`Send the ${twice} header once`));
    const discarded = takesBody(method) ? undefined : discardUnread(raw, reply.raw);
    if (!discarded) return done();
    // Behind a reply that comes before its end, a proxy would send a request of somebody else, which would wait for the rest.
    void discarded.then(() => raw.socket.destroyed || isCutOff(raw) || done());
  });
}

function invalid(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail);
}

/** The name of a header of which Node would take the first, if there are two. */
function givenTwice(rawHeaders: readonly string[]): 'Host' | 'Authorization' | undefined {
  let [hosts, authorizations] = [0, 0];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const { length } = rawHeaders[index] as string;
    if (length !== 4 && length !== 13) continue;
    const name = (rawHeaders[index] as string).toLowerCase();
    if (name === 'host' && ++hosts > 1) return 'Host';
    if (name === 'authorization' && ++authorizations > 1) return 'Authorization';
  }
  return undefined;
}

/**
 * Replies to bytes that are not HTTP, directly on the connection, and to what does not arrive in time. Nobody must take the reply for that
 * to a request that was read, and has its effect: that one's comes first.
 */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // The client sent more after a request with `Connection: close`: the pending reply is the last one.
  if (error.code === 'HPE_CLOSED_CONNECTION' || faulty.has(socket)) return;
  // A reply has begun: a second one would be taken for a part of it. Node's own handler asks in the same way.
  const reply = pendingReply(socket);
  if (reply?.headersSent) {
    socket.destroy();
    return;
  }
  // Its reader answers, and takes no more of it: it would have its effect behind the reply.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && endLateBody(socket)) return;
  if (reply?.req.complete) {
    faulty.add(socket);
    // Each piece of what follows would be a further fault.
    socket.pause();
    answerBehind(reply, error, socket);
    return;
  }
  const id = randomUUID();
  const problem = problemOf(Object.assign(new Error(), { code: parserFault(error.code) }), id);
  const body = JSON.stringify(problem.body);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.body.title}\r\ncontent-type: application/problem+json\r\nx-request-id: ${id}\r\nrequest-id: ${id}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Connections whose fault is answered behind the replies to the requests before it. */
const faulty = new WeakSet<Socket>();

/** Replies to what follows a request when that one, and all others that were read, have their replies. */
function answerBehind(reply: ServerResponse, error: NodeJS.ErrnoException, socket: Socket): void {
  onReplyClosed(reply, () => {
    const next = pendingReply(socket);
    if (next?.req.complete) return answerBehind(next, error, socket);
    faulty.delete(socket);
    socket.resume();
    answerUnreadable(error, socket);
  });
}

/** The reply that a connection waits for, or that is being sent on it. */
function pendingReply(socket: Socket): ServerResponse | null | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
}
