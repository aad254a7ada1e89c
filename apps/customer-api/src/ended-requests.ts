import { Counter } from 'prom-client';
import { type EndedRequest, networkOf, type Problem, requestMeter } from '@platform/http';
import type { Metrics } from '@platform/metrics';
import type { RefusalRecorderService } from '@platform/refusals';

const CLIENT_DISCONNECTED = 499;
/** Faults of a request that are kept with its refusal. */
const MOST_FAULTS = 3;

/** Customers that have a series of their own, per process: a metric must not grow with the number of customers. */
const MOST = 100;
/** Labels of unknown customers, and of those beyond {@link MOST}. */
const [NONE, OTHERS] = ['none', 'others'];

/** Measures a request when it has ended, and keeps it for the operator if it was refused. */
export function requestRecorder(metrics: Metrics, refusals: RefusalRecorderService): (ended: EndedRequest) => void {
  const measure = requestMeter(metrics);
  const limited = new LimitedCustomers(metrics);
  return (ended) => {
    measure(ended);
    const { request, status } = ended;
    if (status === 429) limited.count(request.customer?.customerId);
    if (status >= 400) keep(ended, refusals);
  };
}

/** Counts requests that were refused with 429, by customer. */
class LimitedCustomers {
  private readonly known = new Set<string>();
  private readonly refused: Counter<'customer_id'>;

  constructor({ registry }: Metrics) {
    this.refused = new Counter({
      name: 'rate_limited_requests_total',
      help: 'Requests refused with 429, by customer; none: before it was known who calls',
      labelNames: ['customer_id'],
      registers: [registry],
    });
    for (const label of [NONE, OTHERS]) this.refused.inc({ customer_id: label }, 0);
  }

  count(customerId: string | undefined): void {
    this.refused.inc({ customer_id: customerId === undefined ? NONE : this.label(customerId) });
  }

  private label(customerId: string): string {
    if (!this.known.has(customerId) && this.known.size >= MOST) return OTHERS;
    this.known.add(customerId);
    return customerId;
  }
}

function keep({ request, status, durationMs }: EndedRequest, refusals: RefusalRecorderService): void {
  // A client that disconnected before the reply was not refused. Requests for the service's health are no customer's.
  if (status === CLIENT_DISCONNECTED || request.url.startsWith('/health/')) return;
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
