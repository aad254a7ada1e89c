import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateToken } from '@platform/tokens';
import Anthropic from '@anthropic-ai/sdk';
import { expectProblem } from '@test/expect-problem';
import { describeWithNginx, type NginxProxy, startNginx } from '@test/nginx-proxy';
import { rawHttp } from '@test/raw-http';
import { until } from '@test/until';

/** More connections than nginx had; the system of the test may allow as many files (`ulimit -n`). */
const CONNECTIONS = 8500;

describeWithNginx('a reload of the proxy', () => {
  it('that fails leaves the former configuration, also if nginx has been told of the new one', async () => {
    const proxy = await startNginx('http://127.0.0.1:9');
    const folder = mkdtempSync(join(tmpdir(), 'programs-'));
    expect(await proxy.reload(folder)).toBe(0);
    const former = await proxy.generation();
    const configured = () => readFileSync(join(proxy.folder, 'replicas.conf'), 'utf8');
    const before = configured();
    expect(former).not.toBe('started');
    // It never hears that the new one is at work.
    writeFileSync(join(folder, 'seq'), '#!/bin/sh\necho 1\n', { mode: 0o755 });
    writeFileSync(join(folder, 'curl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(await proxy.reload(folder)).toBe(1);
    expect(configured()).toBe(before);
    await until(async () => (await proxy.generation()) === former);
    rmSync(folder, { recursive: true });
    await proxy.stop();
  });
});

describeWithNginx('a reply that the proxy makes itself', () => {
  let proxy: NginxProxy;
  // Nobody listens there.
  beforeAll(async () => (proxy = await startNginx('http://127.0.0.1:9')));
  afterAll(() => proxy.stop());

  it.each([
    ['an id of the caller', 'my:order-1', 'my:order-1'],
    ['an id of the proxy, if the caller sent a token as its own', generateToken(), /^[0-9a-f]{32}$/],
    ['an id of the proxy, if the caller sent a token within its own', `id:${generateToken()}`, /^[0-9a-f]{32}$/],
    ['an id of the proxy, if the caller sent none that may stand in a reply', 'a b', /^[0-9a-f]{32}$/],
  ])('has %s', async (_, sent, expected) => {
    const reply = await fetch(`${proxy.baseUrl}/customer`, { headers: { 'x-request-id': sent } });
    const headers = [...reply.headers].join('\n');
    const { request_id: id } = await expectProblem(reply, 503, 'service_unavailable');
    expect(id).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
    expect(reply.headers.get('request-id')).toBe(id);
    expect(headers + id).not.toContain('cas_live_');
  });
});

describeWithNginx('a request to a replica that dies before it answers', () => {
  const UNKNOWN = /^It is unknown whether the request had an effect: send it again with the same Idempotency-Key/;
  const KEY = { 'idempotency-key': 'a' };
  let reached = 0;
  const replica = createServer((request) => {
    reached++;
    request.resume().once('end', () => request.socket.destroy());
  });
  let dying: string;
  let proxy: NginxProxy;
  beforeAll(async () => {
    await once(replica.listen(0, '127.0.0.1'), 'listening');
    dying = `http://127.0.0.1:${(replica.address() as AddressInfo).port}`;
    proxy = await startNginx(dying);
  });
  beforeEach(() => (reached = 0));
  afterAll(async () => {
    await proxy.stop();
    replica.close();
  });

  const refusal = async ({ baseUrl }: NginxProxy, init: RequestInit) => {
    const reply = await fetch(`${baseUrl}/ai/messages`, init);
    const { detail } = await expectProblem(reply, 503, 'service_unavailable');
    return { detail, shouldRetry: reply.headers.get('x-should-retry') };
  };

  it('is answered with 503: a POST may have had its effect, and is not to be repeated without a key', async () => {
    const unknown = expect.stringMatching(UNKNOWN);
    expect(await refusal(proxy, { method: 'POST', body: '{}' })).toEqual({ detail: unknown, shouldRetry: 'false' });
    expect(await refusal(proxy, { method: 'POST', body: '{}', headers: KEY })).toEqual({
      detail: unknown,
      shouldRetry: null,
    });
    expect(reached).toBe(2);
  });

  it('is a POST that had no effect if no replica has got it, or another method', async () => {
    const certain = { detail: 'Try again in a moment', shouldRetry: null };
    expect(await refusal(proxy, {})).toEqual(certain);
    const refusing = await startNginx('http://127.0.0.1:9', 'http://127.0.0.1:9');
    expect(await refusal(refusing, { method: 'POST', body: '{}' })).toEqual(certain);
    await refusing.stop();
  });

  it('is a POST that may have had its effect if another replica had refused it', async () => {
    const both = await startNginx('http://127.0.0.1:9', dying);
    // The replicas take turns.
    for (const _ of ['one', 'the other'])
      expect((await refusal(both, { method: 'POST', body: '{}' })).detail).toMatch(UNKNOWN);
    expect(reached).toBe(2);
    await both.stop();
  });

  it.each([
    ['once without a key', {}, 1],
    ['again with a key', { headers: KEY }, 2],
  ])('is a message that an SDK sends %s', async (_, options, times) => {
    const client = new Anthropic({ baseURL: `${proxy.baseUrl}/ai`, authToken: 'a', apiKey: null, maxRetries: 1 });
    const sent = client.messages.create({ model: 'any', max_tokens: 1, messages: [] }, options);
    await expect(sent).rejects.toThrow(/It is unknown whether/);
    expect(reached).toBe(times);
  });
});

describeWithNginx('reports of SMS gateways', () => {
  it('take no room on the disk of the proxy', async () => {
    const internal = createServer((request, reply) => void request.resume().on('end', () => reply.end()));
    await once(internal.listen(0, '127.0.0.1'), 'listening');
    const proxy = await startNginx(`http://127.0.0.1:${(internal.address() as AddressInfo).port}`);
    const url = new URL('/sms/delivery-reports/46elks', proxy.baseUrl);
    // Where no file can be made, a body that needs one is refused.
    const files = join(proxy.folder, 'body');
    rmSync(files, { recursive: true });
    writeFileSync(files, '');
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(65_000) })).status).toBe(200);
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(66_000) })).status).toBe(413);
    await proxy.stop();
    internal.close();
  });

  it('do not leave their references in the log of the proxy, by which others would be believed', async () => {
    const proxy = await startNginx('http://127.0.0.1:9');
    const url = new URL('/sms/delivery-reports/46elks/a-reference', proxy.baseUrl);
    expect((await fetch(url, { method: 'POST', body: '' })).status).toBe(503);
    await fetch(new URL('/api/v1/another', proxy.baseUrl));
    await until(() => proxy.said().includes('/api/v1/another'));
    expect(proxy.said()).not.toContain('a-reference');
    await proxy.stop();
  });
});

describeWithNginx('connections whose headers do not end', () => {
  const replica = createServer((_request, reply) => reply.end('served'));
  let proxy: NginxProxy;
  let open: Socket[] = [];
  beforeAll(async () => {
    await once(replica.listen(0, '127.0.0.1'), 'listening');
    proxy = await startNginx(`http://127.0.0.1:${(replica.address() as AddressInfo).port}`);
  });
  afterEach(() => {
    for (const socket of open) socket.destroy();
    open = [];
  });
  afterAll(async () => {
    await proxy.stop();
    replica.close();
  });

  async function begin(count: number, headers: string): Promise<void> {
    const { port } = new URL(proxy.baseUrl);
    for (let opened = 0; opened < count; opened++) {
      const socket = connect(Number(port), '127.0.0.1')
        .on('error', () => undefined)
        .resume();
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${headers}`);
      open.push(socket);
      if (opened % 100 === 99) await until(() => !socket.connecting);
    }
  }

  const status = (url: string) =>
    new Promise((resolve) => {
      get(url, { agent: false }, (reply) => resolve(reply.resume().statusCode)).on('error', resolve);
    });

  it('take little of the memory of the proxy: long ones are refused', async () => {
    const before = proxy.rssMb();
    await begin(300, `X-A: ${'a'.repeat(60_000)}\r\n`.repeat(7));
    await until(() => open.every(({ destroyed }) => destroyed) || proxy.rssMb() - before > 60);
    expect(proxy.rssMb() - before).toBeLessThan(60);
  }, 30_000);

  it('are other than an address that is too long, which is 414', async () => {
    const reply = await fetch(`${proxy.baseUrl}/customer?a=${'a'.repeat(9_000)}`);
    await expectProblem(reply, 414, 'uri_too_long');
    await expectProblem(await fetch(proxy.baseUrl, { headers: { a: 'a'.repeat(9_000) } }), 431, 'headers_too_large');
  });

  it.each([
    ['Transfer-Encoding', 'POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked'],
    ['version of HTTP', 'GET / HTTP/2.0'],
  ])('are other than a %s that nginx does not know, which is 400', async (_, request) => {
    const reply = await rawHttp(proxy.baseUrl, `${request}\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect({ status: reply?.status, ...(JSON.parse(reply?.body ?? '') as object) }).toMatchObject({
      status: 400,
      code: 'invalid_request',
      request_id: reply?.headers.get('x-request-id'),
    });
  });

  it('shut nobody out, however many one address has', async () => {
    await begin(CONNECTIONS, 'X-A: ');
    const statuses: unknown[] = [];
    for (let count = 0; count < 20; count++) statuses.push(await status(proxy.baseUrl));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }, 240_000);
});
