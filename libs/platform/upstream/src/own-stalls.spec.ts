import { setTimeout as wait } from 'node:timers/promises';
import { loadConfig } from '@platform/config';
import { type RawServer, rawReply, startRawServer } from '@test/raw-server';
import { until } from '@test/until';
import { UpstreamClientsService } from './upstream-clients.service';
import type { UpstreamClient } from './upstream-client';

describe('When this process stalls', () => {
  let server: RawServer;
  let clients: UpstreamClientsService;
  let client: UpstreamClient;
  beforeEach(async () => {
    server = await startRawServer();
    const config = loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent' });
    clients = new UpstreamClientsService(config);
    client = clients.open({
      name: 'stand-in',
      baseUrl: server.url,
      concurrency: 16,
      slowAfterMs: 300,
      timeoutMs: 600,
      maxReplyBytes: 1000,
      retries: 0,
      retryPauseMs: 5,
      breaker: { failures: 4, windowMs: 10_000, spreadMs: 0, resetMs: 60_000 },
    });
    // Opens connections, and starts the timers.
    server.answer((socket) => socket.write(rawReply(200, '{}')));
    await Promise.allSettled(callers.map((caller) => call(caller)));
  });
  afterEach(async () => {
    await clients.onApplicationShutdown();
    await server.close();
  });

  const callers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  const call = (onBehalfOf: string, timeoutMs?: number) =>
    client.call({ operation: 'test', method: 'GET', path: '/', onBehalfOf, timeoutMs }, ({ status }) => {
      if (status !== 200) throw new Error('refused');
    });
  const standStill = (ms: number) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };

  it('calls that time out meanwhile say nothing about the upstream', async () => {
    server.answer((socket) => void setTimeout(() => socket.write(rawReply(200, '{}')), 50));
    const asked = server.requests.length;
    const calls = Promise.allSettled([...callers, ...callers].map((caller) => call(caller)));
    await until(() => server.requests.length > asked);
    standStill(1000);
    const ended = await calls;
    expect(ended.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(8);
    expect(client.isDown).toBe(false);
  });

  it('an upstream that answers 5xx is down all the same', async () => {
    server.answer((socket) => void setTimeout(() => socket.write(rawReply(500, '{}')), 50));
    const asked = server.requests.length;
    // None times out: that would be our fault, and say nothing.
    const calls = Promise.allSettled([...callers, ...callers].map((caller) => call(caller, 10_000)));
    await until(() => server.requests.length > asked);
    standStill(300);
    await calls;
    expect(client.isDown).toBe(true);
  });

  it('for a moment only, an upstream that does not answer is down all the same, and soon', async () => {
    server.answer(() => undefined);
    const calls = Promise.allSettled([...callers, ...callers].map((caller) => call(caller, 60_000)));
    await wait(100);
    standStill(250);
    await until(() => client.isDown);
    await clients.onApplicationShutdown();
    await calls;
  });
});
