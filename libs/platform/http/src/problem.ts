import { Readable } from 'node:stream';
import { HttpException, type Type } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API_PREFIX } from '@platform/config';
import { isTransientFailure } from '@platform/database';
import {
  allErrors,
  type ErrorCode,
  problemType,
  ServiceError,
  type ServiceErrorOptions,
  type UpstreamRefusal,
} from '@platform/errors';
import { discardUnread } from './unread-bodies';

/** An error reply: RFC 9457 problem details, and the headers that go with it. */
export interface Problem {
  status: number;
  headers: Record<string, string>;
  body: {
    type: string;
    title: string;
    status: number;
    detail: string;
    code: ErrorCode;
    request_id: string;
    errors?: { pointer: string; detail: string }[];
  };
  /** The refusal of another system that it is due to; not part of the reply. */
  upstream?: UpstreamRefusal;
  /** As {@link ServiceErrorOptions} has it; not part of the reply. */
  retry?: ServiceErrorOptions['retry'];
}

/** An error reply, as it is sent. */
export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** A header of replies, for the OpenAPI document. */
export interface HeaderDescription {
  description: string;
  schema: object;
  example: unknown;
}

/** Another form of all errors at the addresses that begin with a prefix, unknown addresses included. */
export interface ProblemDialect {
  /** Below the prefix of the API. */
  prefix: string;
  contentType: string;
  /** Describes the body in the OpenAPI document, which must know it from elsewhere. */
  dto: Type;
  /** Describes the headers that only these errors have. */
  headers: Readonly<Record<string, HeaderDescription>>;
  convert(problem: Problem): ErrorReply;
}

/** Errors that Fastify and Node raise before a request reaches a handler. */
const FRAMEWORK_FAULTS: Record<string, [ErrorCode, string]> = {
  MALFORMED_HTTP: ['invalid_request', 'The request is not valid HTTP'],
  HPE_INVALID_URL: [
    'invalid_request',
    'The address has characters that are not ASCII, or control characters: percent-encode them in UTF-8, as in bl%C3%A5',
  ],
  HPE_INVALID_CONSTANT: [
    'invalid_request',
    'The first line of the request is not valid: in an address, write a space as %20',
  ],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The address and the headers have more than 16 KB together'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time'],
};

/** The error's code if it has a description of its own, else that of bytes that are not HTTP. */
export function parserFault(code = ''): string {
  return Object.hasOwn(FRAMEWORK_FAULTS, code) ? code : 'MALFORMED_HTTP';
}

/** Errors of Nest, such as an unknown route, and of files under /docs, such as a path that leaves their folder, by status. */
const STATUS_FAULTS: Partial<Record<number, [ErrorCode, string]>> = {
  400: ['invalid_request', 'The request is not valid'],
  403: ['forbidden', 'Nothing is served at such an address'],
  404: ['not_found', 'There is nothing at this address'],
  412: ['precondition_failed', 'The file has changed: it does not meet If-Match or If-Unmodified-Since'],
  416: ['range_not_satisfiable', 'The file has no bytes in the range that Range names'],
  503: ['service_unavailable', 'Try again in a moment'],
};

/** Describes an error for the caller. An internal error reveals no details. */
export function problemOf(error: unknown, requestId: string): Problem {
  const fault = toServiceError(error);
  const { status, title } = allErrors[fault.code];
  const { errors, retryAfterSeconds, upstream, retry } = fault.options;
  return {
    status,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...challenge(fault),
    },
    body: {
      type: problemType(fault.code),
      title,
      status,
      detail: fault.detail,
      code: fault.code,
      request_id: requestId,
      ...(errors ? { errors } : {}),
    },
    ...(upstream && { upstream }),
    ...(retry && { retry }),
  };
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isTransientFailure(error)) {
    return new ServiceError('service_unavailable', 'Try again in a moment', { retryAfterSeconds: 1 });
  }
  const code = Error.isError(error) && 'code' in error ? FRAMEWORK_FAULTS[String(error.code)] : undefined;
  if (code) return new ServiceError(...code);
  const known = STATUS_FAULTS[statusOf(error) ?? 0];
  if (known) return new ServiceError(...known);
  return new ServiceError(
    'internal_error',
    'The request failed because of a fault of the service; quote the request id to the operator',
  );
}

/** The status that Nest, or the library that serves files, gives an error whose fault is the caller's. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const { expose, status } = (error ?? {}) as { expose?: unknown; status?: unknown };
  return expose === true && typeof status === 'number' ? status : undefined;
}

/** RFC 6750 §3: a challenge without an error if no credentials were sent, with the error if they were insufficient. */
function challenge({ code, options: { bearer } }: ServiceError): Record<string, string> {
  if (!bearer) return code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {};
  const scope = bearer.scope === undefined ? '' : `, scope="${bearer.scope}"`;
  return { 'www-authenticate': `Bearer error="${bearer.error}"${scope}` };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The error that it was answered with. */
    problem?: Problem;
  }
}

const PROBLEM_TYPE = 'application/problem+json';
const known = new WeakMap<FastifyInstance, ProblemDialect>();

/** Sets the dialect of a server. */
export function setProblemDialect(server: FastifyInstance, dialect: ProblemDialect): void {
  known.set(server, dialect);
}

/** A problem as the clients of the request's address understand it. */
export function inDialect(request: FastifyRequest, problem: Problem): ErrorReply & { contentType: string } {
  const dialect = known.get(request.server);
  // The address as it was sent: one that cannot be decoded is replaced.
  if (!dialect || !request.originalUrl.startsWith(`/${API_PREFIX}${dialect.prefix}`))
    return { ...problem, contentType: PROBLEM_TYPE };
  return { ...dialect.convert(problem), contentType: dialect.contentType };
}

/** Sends a problem as the reply. A client that is still sending its body can read it. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  reply.request.problem = problem;
  const { status, headers, body, contentType } = inDialect(reply.request, problem);
  const text = JSON.stringify(body);
  void reply.code(status).headers(headers).type(contentType);
  const { raw: request } = reply.request;
  const closes = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
  const discarded = discardUnread(request, reply.raw, closes);
  if (!discarded) return void reply.send(text);
  // A further request would wait behind the rest of the body: that of somebody else, on a connection of a proxy.
  if (!closes) void reply.header('connection', 'close');
  // Node closes such a connection at the end of the reply: the whole text is sent, the end after that of the body.
  void reply.header('content-length', Buffer.byteLength(text)).send(Readable.from(textUntil(text, discarded)));
}

async function* textUntil(text: string, ended: Promise<void>): AsyncGenerator<string> {
  yield text;
  await ended;
}
