import type { AddressHint, ErrorReply, Problem, ProblemDialect } from '@platform/http';
import { type SdkErrorDto, SdkProblemDto } from './sdk-problem.dto';

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
  529: 'overloaded_error',
};

/** Refusals that last: sent again unchanged, the request is refused again. */
const FINAL = new Set(['ai_upstream_rejected', 'internal_error']);

/** The error of a problem. The provider's own refusal, where it concerns the caller, has the provider's status. */
function sdkError(problem: Problem): SdkErrorDto {
  const { body, upstream } = problem;
  const status = statusOf(problem);
  // The SDK's tool runner tries a thread first, and does without if this is the answer.
  const threads = body.errors?.length === 1 && body.errors[0]?.pointer === '/thread';
  const details = threads
    ? { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
    : upstream?.errorCode !== undefined && { error_code: upstream.errorCode };
  return {
    type: TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
    message: body.detail,
    documentation_url: body.type,
    ...(details && { details }),
  };
}

function statusOf({ status, upstream }: Problem): number {
  return upstream?.status ?? status;
}

/** A problem as the provider's SDKs read it, with a header that says whether another try is worth while. */
function asSdkProblem(problem: Problem): ErrorReply {
  const { headers, body } = problem;
  const status = statusOf(problem);
  const mayHelp = 'retry-after' in headers || (status >= 500 && !FINAL.has(body.code)) || status === 408;
  const mayRetry = mayHelp && problem.retry !== 'only_with_key';
  const { type: _type, title: _title, ...members } = body;
  return {
    status,
    headers: { ...headers, 'x-should-retry': String(mayRetry) },
    body: { type: 'error', error: sdkError(problem), ...members, status } satisfies SdkProblemDto,
  };
}

/** Errors at the addresses for SDKs. */
export const SDK_DIALECT: ProblemDialect = {
  prefix: '/ai/v1',
  contentType: 'application/json',
  dto: SdkProblemDto,
  headers: {
    'X-Should-Retry': {
      description:
        "Whether the AI provider's SDKs, which follow it, send the request again by themselves. `false` also where that is safe " +
        'only with an Idempotency-Key.',
      schema: { type: 'string', enum: ['true', 'false'], maxLength: 5 },
      example: 'false',
    },
  },
  convert: asSdkProblem,
};

/** Parts of the provider's API that are not here. */
const NOT_HERE: [path: RegExp, feature: string][] = [
  [/\/v1\/messages\/batches(\/|$)/, 'Message batches'],
  [/\/v1\/files(\/|$)/, 'Files'],
  [/\/v1\/skills(\/|$)/, 'Skills'],
  [/\/v1\/complete$|\/completions$/, 'Completions'],
];

/** Unknown addresses that SDKs call: parts of the provider's API, and those below another base address. */
export const SDK_ADDRESSES: AddressHint[] = [
  ...NOT_HERE.map(([path, feature]) => ({
    path,
    detail: `${feature} are not available here; send messages to /api/v1/ai/v1/messages`,
  })),
  {
    // Below the right base address the address itself is mistyped: a similar one says more.
    path: /^(?!\/api\/v1\/ai\/v1\/(messages|models)(\/|$)).*\/v1\/(messages|models)(\/|$)/,
    detail:
      "Set the base address of the AI provider's SDKs to …/api/v1/ai, and that of @ai-sdk/anthropic to …/api/v1/ai/v1",
  },
];

/** The event that ends a broken stream, with the reason. */
export function errorEvent(problem: Problem): Buffer {
  const { code, request_id } = problem.body;
  const data = { type: 'error', error: sdkError(problem), request_id, code };
  return Buffer.from(`event: error\ndata: ${JSON.stringify(data)}\n\n`);
}
