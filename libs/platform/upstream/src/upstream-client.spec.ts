import { getEventListeners, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { loadConfig } from '@platform/config';
import { freePort } from '@test/free-port';
import { type RawServer, rawReply, startRawServer } from '@test/raw-server';
import { until } from '@test/until';
import { ReplyBody } from './reply-body';
import type { UpstreamClient } from './upstream-client';
import { type ClientOptions, UpstreamClientsService } from './upstream-clients.service';
import type { UpstreamRequest } from './upstream-options';

describe('UpstreamClient', () => {
  let server: RawServer;
  let clients: UpstreamClientsService;
  const get: UpstreamRequest = { operation: 'test', method: 'GET', path: '/x' };

  beforeEach(async () => {
    server = await startRawServer();
    const config = loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', UPSTREAM_MEMORY_MB: '1' });
    clients = new UpstreamClientsService(config);
  });
  afterEach(async () => {
    await clients.onApplicationShutdown();
    await server.close();
  });

  const open = (options: Partial<ClientOptions> = {}): UpstreamClient =>
    clients.open({
      name: 'stand-in',
      baseUrl: `${server.url}/base/`,
      concurrency: 4,
      slowAfterMs: 1000,
      timeoutMs: 10_000,
      maxReplyBytes: 1000,
      retries: 2,
      retryPauseMs: 5,
      breaker: { failures: 4, windowMs: 10_000, spreadMs: 0, resetMs: 100 },
      ...options,
    });
  const bodyOf = (client: UpstreamClient, request: Partial<UpstreamRequest> = {}) =>
    client.call({ ...get, ...request }, (reply) => reply.body.toString());

  it('reads a reply, below the base address', async () => {
    server.answer((socket) => socket.write(rawReply(200, '{"a":1}', { 'x-id': 'one' })));
    const reply = await open().call(get, (all) => all);
    expect([reply.status, reply.json(), reply.headers['x-id']]).toEqual([200, { a: 1 }, 'one']);
    expect(server.requests[0]).toMatch(/^GET \/base\/x HTTP\/1.1\r\n/);
  });

  it('ends a reply that drips a byte at a time at the deadline, and its connection', async () => {
    server.answer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const began = performance.now();
    await expect(bodyOf(open({ timeoutMs: 400 }))).rejects.toMatchObject({ reason: 'timeout_total', sent: true });
    // The whole reply takes 4.5 s.
    expect(performance.now() - began).toBeLessThan(4_000);
    await until(() => server.open === 0);
  });

  it.each([
    ['announced', rawReply(200, 'x'.repeat(1001))],
    ['not announced', `HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${'x'.repeat(1001)}`],
  ])('stops reading a reply that is too large: %s', async (_, reply) => {
    server.answer((socket) => socket.write(reply));
    await expect(bodyOf(open())).rejects.toMatchObject({ reason: 'too_large' });
  });

  it('keeps the status of a refusal that is too large to read', async () => {
    server.answer((socket) => socket.write(rawReply(400, 'x'.repeat(500_000))));
    expect(await open().call(get, ({ status, body }) => [status, body.length < 200_000])).toEqual([400, true]);
  });

  it('holds no more bytes in memory than the process may, and still reads all', async () => {
    const body = 'x'.repeat(600_000);
    const [add, take] = [ReplyBody.prototype.add, ReplyBody.prototype.take];
    let [held, most] = [0, 0];
    jest.spyOn(ReplyBody.prototype, 'add').mockImplementation(function (this: ReplyBody, chunk) {
      most = Math.max(most, (held += chunk.length));
      return add.call(this, chunk);
    });
    jest.spyOn(ReplyBody.prototype, 'take').mockImplementation(function (this: ReplyBody) {
      const taken = take.call(this);
      held -= taken.length;
      return taken;
    });
    // None ends before all have come as far as they may.
    const unfinished: Socket[] = [];
    server.answer((socket) => {
      socket.write(rawReply(200, body).slice(0, -1));
      unfinished.push(socket);
    });
    const client = open({ maxReplyBytes: 1_000_000, timeoutMs: 30_000 });
    const replies = Promise.all([1, 2, 3, 4].map(async () => (await bodyOf(client)).length));
    await until(() => unfinished.length === 4 && held >= 1024 * 1024);
    await wait(200);
    for (const socket of unfinished) socket.write('x');
    expect(await replies).toEqual(Array(4).fill(600_000));
    expect(most).toBeLessThanOrEqual(1024 * 1024 + 600_000);
    jest.restoreAllMocks();
  });

  it('never says in an error what the reply said', async () => {
    server.answer((socket) => socket.write(rawReply(200, '<html>secret')));
    const error: Error = await open()
      .call(get, (reply) => reply.json())
      .then(
        () => new Error('none'),
        (thrown: unknown) => thrown as Error,
      );
    expect(error).toMatchObject({ reason: 'not_json', status: 200 });
    expect(error.cause).toBeUndefined();
    expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toMatch(/html|secret/);
  });

  describe('of redirects', () => {
    const redirect = (location: string) =>
      server.answer((socket, request) =>
        socket.write(request.startsWith('GET /base/x') ? rawReply(302, '', { location }) : rawReply(200, 'there')),
      );

    it('follows none by default', async () => {
      redirect('/there');
      await expect(bodyOf(open())).rejects.toMatchObject({ reason: 'redirect' });
    });

    it('follows those within one origin where it may, with the headers', async () => {
      redirect('/there');
      const client = open({ redirects: { most: 2 } });
      expect(await bodyOf(client, { headers: { authorization: 'mine' } })).toBe('there');
      expect(server.requests[1]).toContain('authorization: mine');
    });

    it('follows none to another host, and none for ever', async () => {
      const other = await startRawServer();
      redirect(`${other.url}/there`);
      await expect(bodyOf(open({ redirects: { most: 2 } }))).rejects.toMatchObject({ reason: 'redirect' });
      const trusting = open({ redirects: { most: 2, allowed: () => true } });
      other.answer((socket) => socket.write(rawReply(200, 'other')));
      expect(await bodyOf(trusting, { headers: { authorization: 'mine' } })).toBe('other');
      expect(other.requests.join()).not.toContain('authorization');
      redirect('/base/x');
      await expect(bodyOf(trusting)).rejects.toMatchObject({ reason: 'redirect' });
      await other.close();
    });
  });

  it('sends nothing in the clear to a link of an upstream that has TLS', async () => {
    const client = open({ baseUrl: 'https://127.0.0.1:1' });
    const link = { url: new URL(`${server.url}/invoice.pdf`), retry: 'idempotent' } as const;
    await expect(bodyOf(client, link)).rejects.toMatchObject({ reason: 'redirect', code: 'INSECURE', sent: false });
    expect(server.requests).toEqual([]);
  });

  it('takes no compressed reply, whose size would have no bound', async () => {
    server.answer((socket) => socket.write(rawReply(200, 'x', { 'content-encoding': 'gzip' })));
    await expect(bodyOf(open())).rejects.toMatchObject({ reason: 'unexpected', code: 'CONTENT_ENCODING' });
    server.answer((socket) => socket.write(rawReply(200, 'x', { 'content-encoding': 'Identity' })));
    expect(await bodyOf(open())).toBe('x');
  });

  it('counts an upstream as back when it answers the calls that it had left waiting', async () => {
    const held: Socket[] = [];
    server.answer((socket) => void held.push(socket));
    const breaker = { failures: 4, windowMs: 10_000, spreadMs: 0, resetMs: 60_000 };
    const client = open({ slowAfterMs: 50, breaker });
    const calls = Promise.allSettled(['a', 'b', 'c', 'd'].map((onBehalfOf) => bodyOf(client, { onBehalfOf })));
    // A call waits from before it is connected.
    await until(() => client.isDown && held.length === 4);
    for (const socket of held) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n');
    await until(() => !client.isDown);
    for (const socket of held) socket.write('{}');
    expect(await calls).toEqual(Array(4).fill({ status: 'fulfilled', value: '{}' }));
  });

  describe('tries again', () => {
    const turnedAway = rawReply(429, '', { 'retry-after': '0', connection: 'close' });

    it('what was never sent, as long as the deadline allows', async () => {
      const client = open({ baseUrl: `http://127.0.0.1:${await freePort()}` });
      await expect(bodyOf(client, { retry: 'unsent' })).rejects.toMatchObject({ reason: 'refused', sent: false });
    });

    it('what was refused for now, after the requested pause', async () => {
      let requests = 0;
      server.answer((socket) =>
        socket.write(++requests < 3 ? rawReply(429, '', { 'retry-after': '0' }) : rawReply(200, 'in')),
      );
      expect(await bodyOf(open(), { retry: 'turned_away' })).toBe('in');
      requests = 0;
      expect(await open().call({ ...get, retry: 'unsent' }, ({ status }) => status)).toBe(429);
    });

    it.each([
      ['nothing was done', [turnedAway], false],
      ['something may have been done before', ['', turnedAway], true],
    ])('what was turned away, and knows that %s when it cannot connect any more', async (_, replies, sent) => {
      const left = [...replies];
      const leaving = createServer((socket) =>
        socket
          .on('error', () => undefined)
          .once('data', () => {
            const reply = left.shift() ?? '';
            if (left.length === 0) leaving.close();
            socket.end(reply);
          }),
      ).listen(0, '127.0.0.1');
      await once(leaving, 'listening');
      const client = open({ baseUrl: `http://127.0.0.1:${(leaving.address() as AddressInfo).port}` });
      await expect(bodyOf(client, { retry: 'idempotent' })).rejects.toMatchObject({ reason: 'refused', sent });
    });

    it('nothing whose pause ends after the deadline', async () => {
      server.answer((socket) => socket.write(rawReply(503, '', { 'retry-after': '60' })));
      expect(await open().call({ ...get, retry: 'idempotent' }, ({ status }) => status)).toBe(503);
      expect(server.requests).toHaveLength(1);
    });

    it('broken replies only where that is harmless', async () => {
      server.answer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nxx'));
      await expect(bodyOf(open(), { retry: 'turned_away' })).rejects.toMatchObject({ reason: 'cut_off', sent: true });
      expect(server.requests).toHaveLength(1);
      await expect(bodyOf(open(), { retry: 'idempotent' })).rejects.toMatchObject({ reason: 'cut_off' });
      expect(server.requests).toHaveLength(4);
    });
  });

  it('ends a call when its caller does, and all at shutdown', async () => {
    server.answer(() => undefined);
    const client = open({ timeoutMs: 60_000 });
    const cancel = new AbortController();
    const cancelled = bodyOf(client, { signal: cancel.signal });
    const stopped = bodyOf(client);
    const watched = Promise.allSettled([cancelled, stopped]);
    await until(() => server.requests.length === 2);
    cancel.abort();
    await expect(cancelled).rejects.toMatchObject({ reason: 'cancelled' });
    await clients.onApplicationShutdown();
    await expect(stopped).rejects.toMatchObject({ reason: 'shutdown' });
    await watched;
    await expect(bodyOf(client)).rejects.toMatchObject({ reason: 'shutdown' });
  });

  it('makes no call for a caller that has gone before: none is logged', async () => {
    const logged = [jest.spyOn(Logger.prototype, 'log'), jest.spyOn(Logger.prototype, 'warn')];
    const lines = () => logged.flatMap(({ mock }) => mock.calls).map(([line]) => line as unknown);
    for (const spy of logged) spy.mockReturnValue();
    server.answer((socket) => socket.write(rawReply(200, 'x')));
    const client = open();
    const gone = bodyOf(client, { signal: AbortSignal.abort() });
    await expect(gone).rejects.toMatchObject({ reason: 'cancelled', sent: false });
    expect(lines()).toEqual([]);
    expect(await bodyOf(client)).toBe('x');
    expect(lines()).toMatchObject([{ msg: 'upstream call', outcome: '200', attempts: 1, bytes: 1 }]);
    expect(server.requests).toHaveLength(1);
    for (const spy of logged) spy.mockRestore();
  });

  it('listens to the signal of its caller no longer than a call lasts', async () => {
    server.answer((socket) => socket.write(rawReply(200, 'x')));
    const { signal } = new AbortController();
    const client = open();
    for (let call = 0; call < 3; call++) expect(await bodyOf(client, { signal })).toBe('x');
    server.answer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nxx'));
    await expect(bodyOf(client, { signal, retry: 'turned_away' })).rejects.toMatchObject({ reason: 'cut_off' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('bounds concurrent calls; others wait in a bounded queue', async () => {
    server.answer(() => undefined);
    const client = open({ concurrency: 1, queue: 1 });
    // The waiting call gives up long before the first one ends.
    const results = await Promise.allSettled([
      bodyOf(client, { timeoutMs: 2000 }),
      bodyOf(client, { timeoutMs: 100 }),
      bodyOf(client),
    ]);
    expect(results.map((result) => (result as PromiseRejectedResult).reason as unknown)).toMatchObject([
      { reason: 'timeout_total', sent: true },
      { reason: 'timeout_total', sent: false },
      { reason: 'busy', sent: false },
    ]);
    // Its turn came after its caller had gone: it was not made, and is not taken for one that the upstream leaves waiting.
    await until(() => server.open === 0);
    expect([server.requests.length, client.waiting]).toEqual([1, 0]);
  });

  it('gives the place of a call that came to no reply to the next one', async () => {
    const client = open({ baseUrl: `http://127.0.0.1:${await freePort()}`, concurrency: 1 });
    for (let call = 0; call < 3; call++) await expect(bodyOf(client)).rejects.toMatchObject({ reason: 'refused' });
  });

  it('says how long a large body is, which some servers ask for', async () => {
    server.answer((socket) => socket.write(rawReply(200, 'x', { connection: 'close' })));
    expect(await bodyOf(open(), { method: 'POST', body: [Buffer.alloc(70_000), Buffer.alloc(1_000)] })).toBe('x');
    expect(server.requests[0]).toMatch(/^POST [^]*\r\ncontent-length: 71000\r\n/i);
    expect(server.requests[0]).not.toMatch(/transfer-encoding/i);
  });

  it('shares its connections among callers: one that makes many calls leaves room for the others', async () => {
    const held: (() => void)[] = [];
    server.answer((socket) => {
      held.push(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'));
    });
    const client = open({ concurrency: 8, queue: 4 });
    const order: string[] = [];
    const call = (caller: string) =>
      client.call({ ...get, onBehalfOf: caller }, () => order.push(caller)).catch((error: unknown) => error);
    const flood = Array.from({ length: 8 }, () => call('flood'));
    // Four run, two wait, and two are refused: the other half is for others.
    await until(() => held.length === 4);
    expect(await Promise.all(flood.slice(6))).toMatchObject([
      { reason: 'share_used', sent: false },
      { reason: 'share_used', sent: false },
    ]);
    const others = [call('other'), call('third')];
    await until(() => held.length === 6);
    for (const end of held.splice(0)) end();
    await Promise.all(others);
    await until(() => held.length === 2);
    for (const end of held.splice(0)) end();
    await Promise.all(flood);
    expect(order.filter((caller) => caller === 'flood')).toHaveLength(6);
  });

  it('lets few calls wait for one that is silent, and of one caller half of them', async () => {
    server.answer(() => undefined);
    const client = open({ concurrency: 32, slowAfterMs: 50 });
    const call = (onBehalfOf: string) => bodyOf(client, { onBehalfOf }).catch((error: unknown) => error);
    // They began to wait before anybody could know.
    const waiting = Array.from({ length: 4 }, () => call('flood'));
    await wait(60);
    waiting.push(call('other'), call('flood'), call('flood'));
    expect(client.waiting).toBe(7);
    expect(await call('flood')).toMatchObject({ reason: 'busy', sent: false });
    waiting.push(call('third'));
    expect(client.waiting).toBe(8);
    expect(await call('fourth')).toMatchObject({ reason: 'busy', sent: false });
    await clients.onApplicationShutdown();
    expect(await Promise.all(waiting)).toMatchObject(Array(8).fill({ reason: 'shutdown' }));
  });

  it('is not silent while a reply goes on, however long others wait for theirs', async () => {
    let pieces = 0;
    server.answer((socket, request) => {
      if (!request.includes('/goes-on')) return;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n');
      const drip = setInterval(() => pieces++ < 900 && socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const client = open({ concurrency: 16, slowAfterMs: 500 });
    const { content } = await client.stream({ ...get, path: '/goes-on' });
    content.resume();
    const call = (onBehalfOf: string) => bodyOf(client, { onBehalfOf }).catch((error: unknown) => error);
    const waiting = ['a', 'b', 'c', 'd'].map(call);
    await until(() => pieces >= 40);
    waiting.push(...['e', 'f', 'g'].map(call));
    expect([client.isDown, client.waiting]).toEqual([false, 7]);
    content.destroy();
    await clients.onApplicationShutdown();
    await Promise.all(waiting);
  });

  it('is not silent while calls wait that may take longer than others', async () => {
    server.answer(() => undefined);
    const client = open({ concurrency: 16, slowAfterMs: 50 });
    const call = (onBehalfOf: string, slowAfterMs?: number) =>
      bodyOf(client, { onBehalfOf, slowAfterMs }).catch((error: unknown) => error);
    const waiting = ['a', 'b', 'c', 'd'].map((caller) => call(caller, 60_000));
    // Longer than others.
    await wait(200);
    waiting.push(...['e', 'f', 'g'].map((caller) => call(caller)));
    expect([client.isDown, client.waiting]).toEqual([false, 7]);
    await clients.onApplicationShutdown();
    await Promise.all(waiting);
  });

  it('lets somebody else try when the call that was to show whether the upstream is back was not made', async () => {
    const breaker = { failures: 4, windowMs: 10_000, spreadMs: 0, resetMs: 500 };
    const client = open({ concurrency: 4, breaker });
    server.answer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nx'));
    const own = await Promise.all([1, 2].map(() => client.stream({ ...get, onBehalfOf: 'flood' })));
    server.answer((socket) => socket.write(rawReply(500, '')));
    for (const onBehalfOf of ['a', 'b', 'c', 'd']) expect(await bodyOf(client, { onBehalfOf })).toBe('');
    expect(client.isDown).toBe(true);
    server.answer((socket) => socket.write(rawReply(200, 'back')));
    await wait(510);
    // Its streams take all of its share.
    await expect(bodyOf(client, { onBehalfOf: 'flood' })).rejects.toMatchObject({ reason: 'share_used', sent: false });
    expect(await bodyOf(client, { onBehalfOf: 'other' })).toBe('back');
    expect(client.isDown).toBe(false);
    for (const { content } of own) content.destroy();
  });

  it('lets somebody else try when the caller of the call that was to show it has left', async () => {
    const breaker = { failures: 4, windowMs: 10_000, spreadMs: 0, resetMs: 500 };
    const client = open({ breaker });
    server.answer((socket) => socket.write(rawReply(500, '')));
    for (const onBehalfOf of ['a', 'b', 'c', 'd']) expect(await bodyOf(client, { onBehalfOf })).toBe('');
    expect(client.isDown).toBe(true);
    await wait(510);
    const leaving = new AbortController();
    server.answer(() => leaving.abort());
    const left = bodyOf(client, { onBehalfOf: 'impatient', signal: leaving.signal });
    await expect(left).rejects.toMatchObject({ reason: 'cancelled', sent: true });
    server.answer((socket) => socket.write(rawReply(200, 'back')));
    expect(await bodyOf(client, { onBehalfOf: 'other' })).toBe('back');
    expect(client.isDown).toBe(false);
  });

  describe('streams', () => {
    it('shows that the upstream is back as soon as it begins, long before its end', async () => {
      const client = open({ retries: 0 });
      server.answer((socket) => socket.write(rawReply(500, '')));
      for (const onBehalfOf of ['a', 'b', 'c', 'd'])
        await expect(client.stream({ ...get, onBehalfOf })).rejects.toMatchObject({ reason: 'status' });
      expect(client.unavailable('test')).toMatchObject({ reason: 'circuit_open' });
      await wait(110);
      server.answer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nx'));
      const { content } = await client.stream(get);
      expect([client.unavailable('test'), client.unavailable('test')]).toEqual([undefined, undefined]);
      content.destroy();
    });

    it('a body as it comes', async () => {
      let rest = (): void => undefined;
      server.answer((socket) => {
        // Informational replies, as of a proxy, come before the reply.
        socket.write('HTTP/1.1 103 Early Hints\r\nx-id: early\r\n\r\n');
        socket.write('HTTP/1.1 200 OK\r\nx-id: one\r\ncontent-length: 4\r\n\r\nab');
        rest = () => void socket.write('cd');
      });
      const { status, headers, content } = await open().stream(get);
      expect([status, headers['x-id']]).toEqual([200, 'one']);
      await once(content, 'readable');
      rest();
      expect(await text(content)).toBe('abcd');
    });

    it('once: no second reply follows one that has broken off', async () => {
      server.answer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab'));
      const { content } = await open().stream({ ...get, retry: 'idempotent' });
      await expect(text(content)).rejects.toMatchObject({ reason: 'cut_off' });
      expect(server.requests).toHaveLength(1);
    });

    it('no more than it may', async () => {
      server.answer((socket) => socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${'x'.repeat(2000)}`));
      const { content } = await open().stream(get);
      await expect(text(content)).rejects.toMatchObject({ reason: 'too_large' });
    });

    it.each([
      ['while it comes', 'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nab', 'data'],
      ['when all of it came at once', rawReply(200, 'ab'), 'data'],
      ['at its end', rawReply(200, 'ab'), 'end'],
    ])('a body that counts against the upstream if its reader cannot use it: %s', async (_, reply, event) => {
      server.answer((socket) => socket.write(reply));
      const client = open();
      for (const onBehalfOf of ['a', 'b', 'c', 'd']) {
        const { content, unusable } = await client.stream({ ...get, onBehalfOf });
        const failed = once(content, 'error');
        content.once(event, () => unusable('NO_SENSE')).resume();
        expect(await failed).toMatchObject([{ reason: 'unexpected', code: 'NO_SENSE', sent: true }]);
      }
      expect(client.isDown).toBe(true);
    });

    it('until the deadline, and no longer than they are read', async () => {
      server.answer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab'));
      const client = open({ timeoutMs: 1_000 });
      await expect(text((await client.stream(get)).content)).rejects.toMatchObject({ reason: 'timeout_total' });
      const { content } = await client.stream(get);
      content.destroy();
      await until(() => server.open === 0);
    });

    it('beyond the deadline while they go on, if the request allows it, but not for ever, nor when they stop', async () => {
      const dripping = (socket: Socket, letters: number) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        let sent = 0;
        const timer = setInterval(() => (sent++ < letters ? socket.write('x') : undefined), 50);
        socket.once('close', () => clearInterval(timer));
      };
      const client = open({ timeoutMs: 500 });
      const failed = async (letters: number, longestMs: number) => {
        server.answer((socket) => dripping(socket, letters));
        const begun = performance.now();
        const { content } = await client.stream({ ...get, longestMs });
        await expect(text(content)).rejects.toMatchObject({ reason: 'timeout_total' });
        return performance.now() - begun;
      };
      expect(await failed(1000, 1_500)).toBeGreaterThan(1_400);
      const stopped = await failed(20, 30_000);
      expect(stopped).toBeGreaterThan(1_400);
      expect(stopped).toBeLessThan(10_000);
    });

    it('no refusal: that is an error with what it said', async () => {
      server.answer((socket) => socket.write(rawReply(404, '{"why":"gone"}')));
      const error: unknown = await open()
        .stream(get)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ reason: 'status', status: 404 });
      expect((error as { reply: { json(): unknown } }).reply.json()).toEqual({ why: 'gone' });
    });
  });
});
