import Stripe from 'stripe';
import { loadConfig } from '@platform/config';
import { UpstreamClientsService } from '@platform/upstream';
import { type RawServer, rawReply, startRawServer } from '@test/raw-server';
import { StripeHttpClient, stripeFailure } from './stripe-http-client';

describe('StripeHttpClient', () => {
  let server: RawServer;
  let clients: UpstreamClientsService;
  let http: StripeHttpClient;
  let stripe: Stripe;

  beforeEach(async () => {
    server = await startRawServer();
    const config = loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent' });
    clients = new UpstreamClientsService(config);
    const client = clients.open({
      name: 'stripe',
      baseUrl: server.url,
      concurrency: 4,
      slowAfterMs: 1000,
      timeoutMs: 1500,
      maxReplyBytes: 10_000,
      retries: 0,
      retryPauseMs: 1,
    });
    http = new StripeHttpClient(client);
    stripe = new Stripe('sk_test_mine', { httpClient: http, maxNetworkRetries: 0, telemetry: false });
  });
  afterEach(async () => {
    await clients.onApplicationShutdown();
    await server.close();
  });

  const list = () =>
    http.with({ operation: 'invoices.list', onBehalfOf: 'cus_1' }, () => stripe.invoices.list({ customer: 'cus_1' }));
  const failure = () => list().catch((error: unknown) => stripeFailure(error) ?? error);

  it('makes the SDK’s call', async () => {
    server.answer((socket) => socket.write(rawReply(200, '{"object":"list","data":[{"id":"in_1"}],"has_more":false}')));
    expect((await list()).data).toEqual([{ id: 'in_1' }]);
    expect(server.requests[0]).toMatch(/^GET \/v1\/invoices\?customer=cus_1 [^]*authorization: bearer sk_test_mine/i);
  });

  it('passes refusals to the SDK', async () => {
    const body = '{"error":{"type":"invalid_request_error","code":"resource_missing","param":"starting_after"}}';
    server.answer((socket) => socket.write(rawReply(404, body, { 'request-id': 'req_1' })));
    await expect(list()).rejects.toMatchObject({ code: 'resource_missing', statusCode: 404, requestId: 'req_1' });
  });

  it.each([
    ['a page that is not JSON', rawReply(200, '<html>secret'), { reason: 'not_json' }],
    ['JSON of another kind', rawReply(200, '"secret"'), { reason: 'unexpected' }],
    ['a refusal by a proxy', rawReply(502, '<html>secret'), { reason: 'status', status: 502 }],
    ['a refusal that does not say so', rawReply(500, '{}'), { reason: 'status', status: 500 }],
    ['a giant', rawReply(200, 'x'.repeat(20_000)), { reason: 'too_large' }],
  ])('distinguishes %s', async (_, reply, expected) => {
    server.answer((socket) => socket.write(reply));
    const error = await failure();
    expect(error).toMatchObject({ upstream: 'stripe', operation: 'invoices.list', ...expected });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it('does not retry by itself', async () => {
    server.answer((socket) => socket.resetAndDestroy());
    expect(await failure()).toMatchObject({ reason: 'disconnected' });
    expect(server.requests).toHaveLength(1);
  });
});
