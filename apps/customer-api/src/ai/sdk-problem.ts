import type { AddressHint, Problem } from '@platform/http';

/** An error in the AI provider's format, as its SDKs read it. */
interface SdkError {
  type: string;
  message: string;
}

const TYPES: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** Refusals that last: sent again unchanged, the request is refused again. */
const FINAL = new Set(['ai_upstream_rejected', 'internal_error']);

/** A problem in the terms of the AI provider's SDKs. */
function sdkError({ status, body }: Problem): SdkError {
  return { type: TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), message: body.detail };
}

/**
 * A problem as SDKs of the AI provider understand it: with the error in the provider's format, and a header that says
 * whether another try is worth while. None is charged, so each that may succeed is.
 */
export function asSdkProblem(problem: Problem): Problem {
  const { status, headers, body } = problem;
  const mayRetry = 'retry-after' in headers || (status >= 500 && !FINAL.has(body.code)) || status === 408;
  return {
    status,
    headers: { ...headers, 'x-should-retry': String(mayRetry) },
    body: { ...body, error: sdkError(problem) },
  };
}

/** Parts of the provider's API that are not here. */
const NOT_HERE: [path: RegExp, what: string][] = [
  [/\/v1\/messages\/batches(\/|$)/, 'Message batches'],
  [/\/v1\/files(\/|$)/, 'Files'],
  [/\/v1\/skills(\/|$)/, 'Skills'],
  [/\/v1\/complete$|\/completions$/, 'Completions'],
];

/** Unknown addresses that SDKs call: parts of the provider's API, and those below another base address. */
export const SDK_ADDRESSES: AddressHint[] = [
  ...NOT_HERE.map(([path, what]) => ({
    path,
    detail: `${what} are not available here; send messages to /api/v1/ai/v1/messages`,
  })),
  {
    path: /\/v1\/(messages|models)(\/|$)/,
    detail:
      "The base address of the AI provider's SDKs is …/api/v1/ai here, and that of @ai-sdk/anthropic …/api/v1/ai/v1",
  },
];

/** The event that tells the reader of a stream why it broke off. */
export function errorEvent(problem: Problem): Buffer {
  const { code, request_id } = problem.body;
  const data = { type: 'error', error: sdkError(problem), request_id, code };
  return Buffer.from(`event: error\ndata: ${JSON.stringify(data)}\n\n`);
}
