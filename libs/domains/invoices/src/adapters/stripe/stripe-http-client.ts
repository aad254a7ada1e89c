import { AsyncLocalStorage } from 'node:async_hooks';
import type Stripe from 'stripe' with { 'resolution-mode': 'import' };
import { UpstreamCallError, type UpstreamClient, type UpstreamReply, type UpstreamRequest } from '@platform/upstream';

/** Parameters of a call that the SDK does not pass through. */
export type StripeCallContext = Pick<
  UpstreamRequest,
  'operation' | 'onBehalfOf' | 'signal' | 'maxReplyBytes' | 'retry'
>;

type HttpClient = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>['httpClient']>;
type HttpResponse = Awaited<ReturnType<HttpClient['makeRequest']>>;

/** Reply headers that the SDK needs. It prints others, such as notices to developers. */
const READ = ['request-id', 'retry-after', 'stripe-should-retry'];

/** Hides the failure's code from the SDK, which would retry by itself for certain codes. */
class StripeUnreachable extends Error {
  constructor(readonly failure: UpstreamCallError) {
    super(failure.message);
  }
}

/** The SDK's `httpClient` that makes calls through our own client, with its time-outs, bounds and retries. */
export class StripeHttpClient implements HttpClient {
  private readonly context = new AsyncLocalStorage<StripeCallContext>();

  constructor(private readonly client: UpstreamClient) {}

  /** Makes the SDK's calls in `work` with these parameters. */
  with<T>(context: StripeCallContext, work: () => Promise<T>): Promise<T> {
    return this.context.run(context, work);
  }

  getClientName(): string {
    return 'upstream';
  }

  async makeRequest(
    _host: string,
    _port: string,
    path: string,
    method: string,
    headers: object,
    body: string,
  ): Promise<HttpResponse> {
    const { operation = 'call', ...context } = this.context.getStore() ?? {};
    const request: UpstreamRequest = {
      ...context,
      operation,
      method: method === 'POST' ? 'POST' : 'GET',
      path,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ...(method === 'POST' && { body }),
    };
    try {
      return await this.client.call(request, responseOf);
    } catch (error) {
      throw error instanceof UpstreamCallError ? new StripeUnreachable(error) : error;
    }
  }
}

/** The failure because of which the SDK could not reach Stripe; undefined for other errors. */
export function stripeFailure(error: unknown): UpstreamCallError | undefined {
  const { detail } = (error ?? {}) as { detail?: unknown };
  return detail instanceof StripeUnreachable ? detail.failure : undefined;
}

function responseOf(reply: UpstreamReply): HttpResponse {
  const json = reply.ok ? reply.json() : reply.jsonObject();
  if (typeof json !== 'object' || json === null) throw reply.ok ? reply.unusable('unexpected') : reply.refused();
  // Every object of Stripe names its type.
  if (reply.ok && typeof (json as { object?: unknown }).object !== 'string') throw reply.unusable('unexpected');
  // The SDK takes any JSON without an `error` for a success.
  if (!reply.ok && !('error' in json && json.error)) throw reply.refused();
  const headers = Object.fromEntries(Object.entries(reply.headers).filter(([name]) => READ.includes(name)));
  return {
    getStatusCode: () => reply.status,
    getHeaders: () => headers,
    getRawResponse: () => ({ headers }),
    toStream: () => {
      throw new Error('Files are not read through the SDK');
    },
    toJSON: () => Promise.resolve(json),
  };
}
