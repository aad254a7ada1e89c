import { HttpException } from '@nestjs/common';
import { isTransientFailure } from '@platform/database';
import { type ErrorCode, errorCatalog, problemType, ServiceError } from '@platform/errors';

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
    /** The error as the AI provider's SDKs read it, at the addresses that are for them. */
    error?: { type: string; message: string };
  };
}

/** Errors that Fastify and Node raise before a request reaches a handler. */
const FRAMEWORK_FAULTS: Record<string, [ErrorCode, string]> = {
  MALFORMED_HTTP: ['invalid_request', 'The request is not valid HTTP'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The address and the headers have more than 16 KB together'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time'],
};

/** Nest's own errors, such as an unknown route, by status. */
const STATUS_FAULTS: Record<number, [ErrorCode, string]> = {
  400: ['invalid_request', 'The request is not valid'],
  404: ['not_found', 'There is nothing at this address'],
  503: ['service_unavailable', 'Try again in a moment'],
};

/** Describes an error for the caller. An internal error reveals no details. */
export function problemOf(error: unknown, requestId: string): Problem {
  const fault = toServiceError(error);
  const { status, title } = errorCatalog[fault.code];
  const { errors, retryAfterSeconds } = fault.options;
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
  };
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isTransientFailure(error)) {
    return new ServiceError('service_unavailable', 'Try again in a moment', { retryAfterSeconds: 1 });
  }
  const code = Error.isError(error) && 'code' in error ? FRAMEWORK_FAULTS[String(error.code)] : undefined;
  if (code) return new ServiceError(...code);
  const known = error instanceof HttpException ? STATUS_FAULTS[error.getStatus()] : undefined;
  if (known) return new ServiceError(...known);
  return new ServiceError(
    'internal_error',
    'The request failed for a reason on our side; quote the request id to the operator',
  );
}

/** RFC 6750 §3: a challenge without an error if no credentials were sent, with the error if they were insufficient. */
function challenge({ code, options: { bearer } }: ServiceError): Record<string, string> {
  if (!bearer) return code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {};
  const scope = bearer.scope === undefined ? '' : `, scope="${bearer.scope}"`;
  return { 'www-authenticate': `Bearer error="${bearer.error}"${scope}` };
}
