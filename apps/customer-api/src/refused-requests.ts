import { type EndedRequest, networkOf, type Problem } from '@platform/http';
import type { RefusalRecorderService } from '@platform/refusals';

/** A client that disconnected before the reply was not refused. */
const CLIENT_DISCONNECTED = 499;
/** Faults of a request that are kept with its refusal. */
const MOST_FAULTS = 3;

/** Keeps a request for the operator if it was answered with an error. Those for the service's health are no customer's. */
export function keepIfRefused({ request, status, durationMs }: EndedRequest, refusals: RefusalRecorderService): void {
  if (status < 400 || status === CLIENT_DISCONNECTED || request.url.startsWith('/health/')) return;
  const { id, method, customer, refusedToken, problem } = request;
  refusals.record({
    requestId: id,
    customerId: customer?.customerId,
    tokenId: customer?.tokenId,
    fingerprint: refusedToken,
    network: networkOf(request),
    method,
    route: request.routeOptions.url,
    status,
    code: problem?.body.code,
    detail: problem ? detailOf(problem) : 'The reply that is kept under the Idempotency-Key was sent again',
    upstream: problem && upstreamOf(problem),
    durationMs,
  });
}

function detailOf({ body: { detail, errors = [] } }: Problem): string {
  const faults = errors.slice(0, MOST_FAULTS).map((fault) => `${fault.pointer}: ${fault.detail}`);
  return [detail, ...faults].join('; ');
}

function upstreamOf({ upstream }: Problem): string | undefined {
  return upstream && [upstream.status, upstream.errorCode].filter((part) => part !== undefined).join(' ');
}
