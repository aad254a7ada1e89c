import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Controller, Get, StreamableFile } from '@nestjs/common';
import { Public } from '@platform/access';
import { generateToken } from '@platform/tokens';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem, type ProblemBody } from '@test/expect-problem';
import { rawHttp, type RawReply } from '@test/raw-http';
import { until } from '@test/until';

/** Internal details that must never reach a caller: code, SQL, names of components. */
const INSIDE =
  /\bat .+:\d+:\d+|\/node_modules\/|\.[jt]s:\d|\bselect\b.*\bfrom\b|QueryFailed|SQLSTATE|FST_ERR|HPE_|fastify|nestjs|typeorm|undici|postgres|ExceptionsHandler/i;
const JSON_TYPE = { 'content-type': 'application/json' };
/** A route that takes a body, and a valid one. */
const TICKETS = '/support/tickets';
const TICKET = { title: 'A question', body: 'How do I …?' };

/** Begins a reply and does not end it. */
@Controller('endless')
class EndlessController {
  @Public()
  @Get()
  endless(): StreamableFile {
    const body = new Readable({ read: () => undefined });
    body.push('data: begun');
    return new StreamableFile(body);
  }
}

describe('error replies', () => {
  let api: TestApi;
  let me: Awaited<ReturnType<typeof createCaller>>;
  beforeAll(async () => {
    const limits = { RATE_LIMIT_REQUESTS_PER_MINUTE: '100000', RATE_LIMIT_ADDRESS_PER_MINUTE: '100000' };
    api = await startApi(limits, undefined, [EndlessController]);
    me = await createCaller(api);
  });
  afterAll(() => api.stop());

  const post = (body: string | Uint8Array<ArrayBuffer> | ReadableStream, headers: Record<string, string> = JSON_TYPE) =>
    me.call(TICKETS, { method: 'POST', body, headers, duplex: 'half' });
  const raw = (...chunks: (string | Buffer)[]) => rawHttp(api.origin, ...chunks);
  const head = (line: string, ...headers: string[]) =>
    [`${line} HTTP/1.1`, 'Host: api', 'Connection: close', ...headers, '', ''].join('\r\n');
  const credentials = () => `Authorization: Bearer ${me.token.token}`;

  function expectRawProblem(reply: RawReply | undefined, status: number, code: string): ProblemBody {
    const body = JSON.parse(reply?.body ?? '{}') as ProblemBody;
    expect({ status: reply?.status, code: body.code }).toEqual({ status, code });
    expect(reply?.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(reply?.headers.get('x-request-id')).toBe(body.request_id);
    expect(JSON.stringify(body)).not.toMatch(INSIDE);
    return body;
  }

  describe('of the body', () => {
    it.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
      ['broken JSON', '{"title":', 'The body is not valid JSON: it ends too early, at line 1, column 10'],
      [
        'an empty body',
        '',
        'The request has no body; send a JSON object, with the header Content-Type: application/json',
      ],
      ['a list', '[]', 'The body must be a JSON object'],
      ['a number', '12', 'The body must be a JSON object'],
      ['null', 'null', 'The body must be a JSON object'],
      ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'The body is not UTF-8'],
      [
        'a byte order mark',
        '\ufeff{}',
        'The body is not valid JSON: it begins with a byte order mark; send it without',
      ],
    ])('refuses %s', async (_name, body, detail) => {
      const problem = await expectProblem(await post(body), 400, 'invalid_request');
      expect(problem.detail).toBe(detail);
    });

    it('refuses a body nested without end before anything walks through it', async () => {
      const depth = 60_000;
      const nested = `{"title":"a","body":"b","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const problem = await expectProblem(await post(nested), 400, 'invalid_request');
      expect(problem.detail).toBe('The body is nested too deeply');
    });

    it('takes __proto__, constructor and prototype for unknown fields, which are dropped', async () => {
      const body = `{"title":"A","body":"B","__proto__":{"priority":"urgent","polluted":true},"constructor":{"prototype":{"polluted":true}}}`;
      const reply = await post(body);
      expect(reply.status).toBe(201);
      expect(JSON.stringify(await reply.json())).not.toContain('urgent');
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    it.each([
      ['another type', 'text/plain'],
      ['a form', 'application/x-www-form-urlencoded'],
      ['another character set', 'application/json; charset=latin1'],
      ['another character set beside a parameter', 'application/json; a=b; charset="latin1"'],
      ['two types', 'application/json, text/plain'],
      ['a type that begins alike', 'application/json-patch+json'],
      ['a text that is no type at all', ';;;'],
      ['no type', ''],
    ])('refuses %s as content type', async (_name, type) => {
      const payload = JSON.stringify(TICKET);
      const reply = await raw(
        head(
          `POST /api/v1${TICKETS}`,
          credentials(),
          ...(type === '' ? [] : [`Content-Type: ${type}`]),
          `Content-Length: ${payload.length}`,
        ),
        payload,
      );
      expectRawProblem(reply, 415, 'unsupported_media_type');
    });

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'Application/JSON ;',
      'application/json;IEEE754Compatible=true; charset="utf-8"',
      'application/json; profile="https://example.com/a"',
    ])('takes %s as content type', async (type) => {
      expect((await post(JSON.stringify(TICKET), { 'content-type': type })).status).toBe(201);
    });

    it('refuses a body whose Content-Length is too large without waiting for it', async () => {
      const reply = await raw(
        head(`POST /api/v1${TICKETS}`, credentials(), 'Content-Type: application/json', 'Content-Length: 50000000'),
        '{"title":"',
      );
      expectRawProblem(reply, 413, 'payload_too_large');
    });

    it('refuses a chunked body as soon as it grows too large', async () => {
      const piece = new TextEncoder().encode('a'.repeat(64 * 1024));
      let sent = 0;
      const endless = new ReadableStream<Uint8Array>({
        start: (stream) => stream.enqueue(new TextEncoder().encode('{"title":"')),
        pull: (stream) => (++sent > 40 ? stream.close() : stream.enqueue(piece)),
      });
      await expectProblem(await post(endless), 413, 'payload_too_large');
    });

    it('lets go of a body that its caller abandons', async () => {
      const before = await connections();
      const requests = Array.from({ length: 20 }, async () => {
        const abort = new AbortController();
        const slow = new ReadableStream<Uint8Array>({
          start: (stream) => stream.enqueue(new TextEncoder().encode('{"title":"')),
        });
        const reply = me.call(TICKETS, {
          method: 'POST',
          headers: JSON_TYPE,
          body: slow,
          duplex: 'half',
          signal: abort.signal,
        });
        await seen(before);
        abort.abort();
        await expect(reply).rejects.toThrow('aborted');
      });
      await Promise.all(requests);
      await until(async () => (await connections()) <= before);
    });

    const connections = () =>
      new Promise<number>((resolve, reject) =>
        api.app
          .getHttpServer()
          .getConnections((error: Error | null, count: number) => (error ? reject(error) : resolve(count))),
      );
    const until = async (condition: () => Promise<boolean>) => {
      while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    const seen = (before: number) => until(async () => (await connections()) > before);
  });

  describe('of the address', () => {
    it.each([
      ['an unknown address', '/nothing'],
      ['an unknown address below a known one', '/customer/1'],
      ['a trailing slash', '/customer/'],
      ['another case', '/CUSTOMER'],
    ])('says 404 for %s', async (_name, path) => {
      await expectProblem(await me.call(path), 404, 'not_found');
    });

    it('says 404 for addresses outside the interface', async () => {
      await expectProblem(await fetch(`${api.origin}/`), 404, 'not_found');
      await expectProblem(await fetch(`${api.origin}/api`), 404, 'not_found');
    });

    it.each([
      ['DELETE', '/customer', 'GET, HEAD'],
      ['POST', '/customer', 'GET, HEAD'],
      ['PUT', TICKETS, 'GET, HEAD, POST'],
      ['OPTIONS', TICKETS, 'GET, HEAD, POST'],
      ['PATCH', '/%63ustomer?x=1', 'GET, HEAD'],
    ])('says 405 for %s %s and names what is allowed', async (method, path, allowed) => {
      const reply = await me.call(path, { method });
      await expectProblem(reply, 405, 'method_not_allowed');
      expect(reply.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed);
    });

    it('says 405 for methods that few servers know', async () => {
      for (const method of ['PROPFIND', 'QUERY', 'TRACE', 'PURGE']) {
        expectRawProblem(await raw(head(`${method} /api/v1/customer`)), 405, 'method_not_allowed');
      }
    });

    it.each(['/%', '/customer/%ff', '/%zz', '/customer%', '/%%36%33ustomer'])(
      'says 400 for the invalid percent encoding in %s',
      async (path) => {
        expectRawProblem(await raw(head(`GET /api/v1${path}`)), 400, 'invalid_request');
      },
    );

    it('answers addresses and parameters that are too long', async () => {
      const fits = await raw(head(`GET /api/v1/ai/credit-requests/${'1'.repeat(4000)}`, credentials()));
      expectRawProblem(fits, 404, 'not_found');
      const tooLong = await raw(head(`GET /api/v1/customer?x=${'a'.repeat(20_000)}`, credentials()));
      expectRawProblem(tooLong, 431, 'headers_too_large');
    });

    it('takes an address in each of its forms, the whole one with its host (RFC 9112 §3.2.2)', async () => {
      const whole = (path: string, host = 'api') => `http://${host}/api/v1${path}`;
      expect((await raw(head(`GET ${whole('/customer?x=1', 'other:3000')}`, credentials())))?.status).toBe(200);
      expect((await raw(head('GET HTTPS://api/api/v1/%63ustomer', credentials())))?.status).toBe(200);
      const refused = await raw(head(`DELETE ${whole('/customer')}`));
      expectRawProblem(refused, 405, 'method_not_allowed');
      expect(refused?.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD']);
      expectRawProblem(await raw(head(`GET ${whole('/%ff')}`)), 400, 'invalid_request');
      expectRawProblem(await raw(head(`GET ${whole('/customer', 'me@api')}`, credentials())), 400, 'invalid_request');
      for (const address of ['http://api', 'http://api?x=/api/v1/customer'])
        expectRawProblem(await raw(head(`GET ${address}`, credentials())), 404, 'not_found');
      for (const address of [whole('/ai/v1/models'), '/api/v1/%61i/v1/models']) {
        const sdk = await raw(head(`GET ${address}`));
        expect(JSON.parse(sdk?.body ?? '{}')).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
      }
      // A Host is required all the same, except in HTTP/1.0.
      const bare = (version: string) => `GET ${whole('/customer')} HTTP/${version}\r\n${credentials()}\r\n\r\n`;
      expectRawProblem(await raw(bare('1.1')), 400, 'invalid_request');
      expect((await raw(bare('1.0')))?.status).toBe(200);
    });

    it.each(['//customer', '/./customer', '/services/../customer', '/customer;x=1', '/customer%00', '/customer%2f'])(
      'finds nothing at %s',
      async (path) => {
        expectRawProblem(await raw(head(`GET /api/v1${path}`, credentials())), 404, 'not_found');
      },
    );
  });

  describe('of HTTP itself', () => {
    it.each([
      ['garbage', 'hello\r\n\r\n'],
      ['an unknown method', 'NONSENSE / HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['a header without a colon', 'GET /api/v1/customer HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n'],
      ['no host', 'GET /api/v1/customer HTTP/1.1\r\nConnection: close\r\n\r\n'],
      ['two body lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
      [
        'a length and chunks',
        'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['a control character in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: \u0001\r\n\r\n'],
    ])('refuses %s', async (_name, bytes) => {
      expectRawProblem(await raw(bytes), 400, 'invalid_request');
    });

    it.each([
      ['a letter in the query', '/invoices?status=\u00e6', 'percent-encode them in UTF-8'],
      ['a letter in the path', '/invoices/\u00e6', 'percent-encode them in UTF-8'],
      ['a space', '/invoices?created_after=2026-01-01 00:00:00Z', 'write a space as %20'],
    ])('says how %s is written in an address', async (_name, path, advice) => {
      const { detail } = expectRawProblem(await raw(head(`GET /api/v1${path}`, credentials())), 400, 'invalid_request');
      expect(detail).toContain(advice);
    });

    it.each(['a b', 'a/b', 'a@b', 'a:b', '[::1'])('refuses %s as host', async (host) => {
      const bytes = `GET /api/v1/customer HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(expectRawProblem(await raw(bytes), 400, 'invalid_request').detail).toBe(
        'The host of the request is not valid',
      );
    });

    it.each([
      ['two hosts', ['Host: b'], 'Send the Host header once'],
      ['the same host twice', ['Host: a'], 'Send the Host header once'],
      ['two tokens', ['Authorization: Bearer cas_live_other'], 'Send the Authorization header once'],
      [
        'a compressed transfer',
        ['Transfer-Encoding: gzip, chunked'],
        'The only supported Transfer-Encoding is chunked: send the body without another encoding',
      ],
    ])('refuses %s', async (_name, headers, detail) => {
      const bytes = `${head('GET /api/v1/customer', credentials(), ...headers)}${headers[0]?.includes('gzip') ? '0\r\n\r\n' : ''}`;
      const problem = expectRawProblem(await raw(bytes), 400, 'invalid_request');
      expect(problem.detail).toBe(detail);
    });

    it('lets a client that is still sending read the refusal, though the connection ends with it', async () => {
      const body = 'x'.repeat(100_000);
      const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
      const ended = once(socket, 'end');
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      socket.write(head(`POST /api/v1${TICKETS}`, `Content-Length: ${body.length}`));
      await until(() => received.includes('request_id'));
      // The server has had the time to answer another request.
      await fetch(`${api.origin}/nothing`);
      expect(socket.readableEnded).toBe(false);
      socket.write(body);
      await ended;
      expect(received).toMatch(/^HTTP\/1\.1 401 /);
      socket.destroy();
    });

    it('lets a client read the refusal that sends its body in many chunks', async () => {
      const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
      const ended = once(socket, 'end');
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
      const write = promisify<string>(socket.write.bind(socket));
      await write(head(`POST /api/v1${TICKETS}`, 'Transfer-Encoding: chunked'));
      for (let sent = 0; sent < 100; sent++) await write(chunk);
      await until(() => received.includes('request_id'));
      for (let sent = 100; sent < 200; sent++) await write(chunk);
      await write('0\r\n\r\n');
      await ended;
      const [refusal = '', body = ''] = received.split('\r\n\r\n');
      expect(refusal).toMatch(/^HTTP\/1\.1 401 /);
      expect(JSON.parse(body)).toMatchObject({ code: 'unauthorized' });
      socket.destroy();
    });

    it('answers requests that it has read before it refuses what stands behind them', async () => {
      const request = [
        `POST /api/v1${TICKETS} HTTP/1.1`,
        'Host: a',
        credentials(),
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(JSON.stringify(TICKET))}`,
        '',
        JSON.stringify(TICKET),
      ].join('\r\n');
      const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      // As a program sends it that takes the end of its text for a part of it.
      socket.write(`${request}${request}\0`);
      await once(socket, 'end');
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201', 'HTTP/1.1 400']);
      expect(received.match(/^connection: close/gim)).toHaveLength(1);
      socket.destroy();
    });

    it('gives no effect to a request that has come too late', async () => {
      const server: Server = api.app.getHttpServer();
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const port = Number(new URL(api.origin).port);
      // It goes on sending, whatever comes.
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const [connection] = await accepted;
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      const closed = once(connection, 'close');
      const body = JSON.stringify({ ...TICKET, title: 'Too late' });
      const headers = [credentials(), 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
      socket.write(`${head(`POST /api/v1${TICKETS}`, ...headers)}${body.slice(0, 20)}`);
      await until(() => connection.bytesRead > 20);
      await fetch(`${api.origin}/nothing`);
      // As Node does it after two minutes.
      server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), connection);
      await until(() => received.includes('request_timeout'));
      socket.end(body.slice(20));
      await closed;
      expect(received).toMatch(/^HTTP\/1\.1 408 /);
      expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      socket.destroy();
      expect(await (await me.call(TICKETS)).text()).not.toContain('Too late');
    });

    it('gives no effect to a request without a body whose body is broken', async () => {
      const { id } = (await (await post(JSON.stringify(TICKET))).json()) as { id: string };
      const server: Server = api.app.getHttpServer();
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
      const [connection] = await accepted;
      const closed = once(connection, 'close');
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      socket.write(head(`POST /api/v1${TICKETS}/${id}/close`, credentials(), 'Transfer-Encoding: chunked'));
      await fetch(`${api.origin}/nothing`);
      socket.write('no size\r\n');
      await until(() => received.includes('request_id'));
      socket.destroy();
      await closed;
      expect(received).toMatch(/^HTTP\/1\.1 400 /);
      await fetch(`${api.origin}/nothing`);
      expect(await (await me.call(`${TICKETS}/${id}`)).json()).toMatchObject({ status: 'open' });
    });

    it('does not put a second reply into one that has begun', async () => {
      const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      const closed = once(socket, 'close');
      socket.write('GET /api/v1/endless HTTP/1.1\r\nHost: a\r\n\r\n');
      await until(() => received.includes('data: begun'));
      socket.write('garbage\r\n\r\n');
      await closed;
      expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(received).not.toContain('problem+json');
    });

    it.each([
      ['/docs/../x', 403, 'forbidden'],
      ['/docs//', 403, 'forbidden'],
      ['/docs/%00', 403, 'forbidden'],
      ['/docs/%5c..%5c', 403, 'forbidden'],
    ] as const)('answers %s below the documentation with %i', async (path, status, code) => {
      expectRawProblem(await raw(head(`GET ${path}`)), status, code);
    });

    it.each([
      ['If-Match: "another"', 412, 'precondition_failed'],
      ['If-Unmodified-Since: Mon, 01 Jan 1990 00:00:00 GMT', 412, 'precondition_failed'],
      ['Range: bytes=999999999-', 416, 'range_not_satisfiable'],
    ] as const)('answers %s for a file with %i', async (header, status, code) => {
      expectRawProblem(await raw(head('GET /docs/swagger-ui.css', header)), status, code);
    });

    it('refuses headers beyond 16 KB', async () => {
      expectRawProblem(await raw(head('GET /api/v1/customer', `X-A: ${'a'.repeat(20_000)}`)), 431, 'headers_too_large');
    });

    it('ignores an expectation that it does not know (RFC 9110 §10.1.1 lets it)', async () => {
      const reply = await raw(head('GET /api/v1/customer', credentials(), 'Expect: the-unexpected'));
      expect(reply?.status).toBe(200);
    });

    it('answers HEAD as GET, without the body', async () => {
      const reply = await me.call('/customer', { method: 'HEAD' });
      expect(reply.status).toBe(200);
      expect(await reply.text()).toBe('');
      expect(reply.headers.get('x-ratelimit-limit')).toBe('100000');
      expect((await me.call('/nothing', { method: 'HEAD' })).status).toBe(404);
      expect((await fetch(`${api.baseUrl}/customer`, { method: 'HEAD' })).status).toBe(401);
    });
  });

  describe('order of the checks', () => {
    const wrong = 'not JSON';

    it('says 401 before it looks at scope, content type or body', async () => {
      for (const type of ['application/json', 'text/plain', ';;;']) {
        const reply = await raw(
          head(
            `POST /api/v1${TICKETS}`,
            `Authorization: Bearer ${generateToken()}`,
            `Content-Type: ${type}`,
            'Content-Length: 8',
          ),
          wrong,
        );
        expectRawProblem(reply, 401, 'unauthorized');
      }
    });

    it('says 401 before it reads a body, however large', async () => {
      const reply = await raw(
        head(`POST /api/v1${TICKETS}`, 'Content-Type: application/json', 'Content-Length: 50000000'),
      );
      expectRawProblem(reply, 401, 'unauthorized');
    });

    it('says 403 for the scope before 429 and 400', async () => {
      const { customer, call } = await createCaller(api, { scopes: ['support:read'] });
      await api.superuser.query('update customer set requests_per_minute = 1 where id = $1', [customer.id]);
      for (let time = 0; time < 3; time++) {
        await expectProblem(await call(TICKETS, { method: 'POST', body: wrong }), 403, 'insufficient_scope');
      }
    });

    it('says 429 before 400', async () => {
      const { customer, call } = await createCaller(api);
      await api.superuser.query('update customer set requests_per_minute = 1 where id = $1', [customer.id]);
      const send = () => call(TICKETS, { method: 'POST', body: wrong, headers: JSON_TYPE });
      await expectProblem(await send(), 400, 'invalid_request');
      await expectProblem(await send(), 429, 'rate_limited');
    });

    it('says 400 before 404', async () => {
      const send = (body: object) => post(JSON.stringify(body));
      await expectProblem(await send({ ...TICKET, title: '', service_id: 999_999 }), 400, 'invalid_request');
      await expectProblem(await send({ ...TICKET, service_id: 999_999 }), 404, 'not_found');
    });
  });

  describe('request id', () => {
    it.each(['abc', '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11', 'a'.repeat(128), 'trace:00-4bf92f3577b34da6/1=a'])(
      "takes the caller's own: %s",
      async (id) => {
        expect((await me.call('/customer', { headers: { 'x-request-id': id } })).headers.get('x-request-id')).toBe(id);
        const problem = await expectProblem(await me.call('/x', { headers: { 'x-request-id': id } }), 404, 'not_found');
        expect(problem.request_id).toBe(id);
      },
    );

    it.each([
      ['too long', 'a'.repeat(129)],
      ['empty', ''],
      ['with a space', 'a b'],
      ['with a quote', 'a"b'],
      ['with a comma', 'a,b'],
    ])('makes one in place of one that is %s', async (_name, id) => {
      const reply = await me.call('/customer', { headers: { 'x-request-id': id } });
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('keeps it in replies to what fails before a route is found', async () => {
      const reply = await raw(head('GET /api/v1/%ff', 'X-Request-Id: mine'));
      expect(expectRawProblem(reply, 400, 'invalid_request').request_id).toBe('mine');
    });
  });

  it('keeps every reply out of caches, whatever form the address has', async () => {
    for (const path of ['/api/v1/customer', `${api.origin}/api/v1/customer`, '/nothing', '/%ff']) {
      const reply = await raw(head(`GET ${path}`, credentials()));
      expect([path, reply?.headers.get('cache-control')]).toEqual([path, 'no-store']);
    }
  });

  it('takes one token, whatever else stands behind it', async () => {
    const send = (authorization: string) => fetch(`${api.baseUrl}/customer`, { headers: { authorization } });
    expect((await send(`bearer   ${me.token.token}`)).status).toBe(200);
    for (const rest of [' x', ', Basic abc', ',']) {
      await expectProblem(await send(`Bearer ${me.token.token}${rest}`), 401, 'unauthorized');
    }
  });

  it('never shows the inside: a fault of the database gives a 500 with fixed words', async () => {
    await api.superuser.query('alter table customer rename column name to other_name');
    try {
      const reply = await me.call('/customer');
      const problem = await expectProblem(reply, 500, 'internal_error');
      expect(JSON.stringify(problem)).not.toMatch(INSIDE);
      expect(problem.detail).toBe(
        'The request failed because of a fault of the service; quote the request id to the operator',
      );
      expect(reply.headers.get('x-powered-by') ?? reply.headers.get('server')).toBeNull();
    } finally {
      await api.superuser.query('alter table customer rename column other_name to name');
    }
  });
});
