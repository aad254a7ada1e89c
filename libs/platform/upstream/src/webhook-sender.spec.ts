import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { loadConfig } from '@platform/config';
import { rawReply, type RawServer, startRawServer } from '@test/raw-server';
import { selfSigned } from '@test/self-signed';
import type { HostAddress } from './public-addresses';
import { UpstreamClientsService } from './upstream-clients.service';
import type { WebhookRequest, WebhookSender, WebhookSenderOptions } from './webhook-sender';

/** An address of the internet that is routed nowhere: of no allocated block. */
const NOWHERE = '2e00::1';

/** Addresses of names in these tests. */
const NAMES: Record<string, string[]> = {
  'loopback.example.com': ['127.0.0.1'],
  'loopback6.example.com': ['::1'],
  'private.example.com': ['10.0.0.7'],
  'private172.example.com': ['172.16.9.1'],
  'private192.example.com': ['192.168.1.1'],
  'metadata.example.com': ['169.254.169.254'],
  'one-of-two.example.com': [NOWHERE, '127.0.0.1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'translated.example.com': ['64:ff9b::7f00:1'],
  'unique-local.example.com': ['fd00::1'],
  'link-local.example.com': ['fe80::1'],
  'unspecified.example.com': ['0.0.0.0'],
  'multicast.example.com': ['224.0.0.1'],
  'nothing.example.com': [],
};

/** Where nothing is sent. PORT is that of a server which listens on all addresses of this machine. */
const REFUSED = [
  'https://127.0.0.1:PORT/',
  'https://127.0.0.2:PORT/',
  'https://127.1:PORT/',
  'https://2130706433:PORT/',
  'https://0x7f000001:PORT/',
  'https://0x7f.0.0.1:PORT/',
  'https://0177.0.0.1:PORT/',
  'https://017700000001:PORT/',
  'https://127.0x0.1:PORT/',
  'https://%31%32%37.0.0.1:PORT/',
  'https://①②⑦.0.0.1:PORT/',
  'https://127。0。0。1:PORT/',
  'https://127.0.0.1.:PORT/',
  'https://0.0.0.0:PORT/',
  'https://0:PORT/',
  'https://10.0.0.7:PORT/',
  'https://10.255.255.255:PORT/',
  'https://172.16.0.1:PORT/',
  'https://172.31.255.254:PORT/',
  'https://192.168.0.1:PORT/',
  'https://169.254.169.254/latest/meta-data/',
  'https://169.254.170.2:PORT/',
  'https://100.64.0.1:PORT/',
  'https://192.0.0.192:PORT/',
  'https://192.0.2.1:PORT/',
  'https://198.18.0.1:PORT/',
  'https://198.51.100.1:PORT/',
  'https://203.0.113.1:PORT/',
  'https://224.0.0.1:PORT/',
  'https://240.0.0.1:PORT/',
  'https://255.255.255.255:PORT/',
  'https://[::1]:PORT/',
  'https://[::]:PORT/',
  'https://[0:0:0:0:0:0:0:1]:PORT/',
  'https://[::ffff:127.0.0.1]:PORT/',
  'https://[::ffff:7f00:1]:PORT/',
  'https://[::ffff:0:127.0.0.1]:PORT/',
  'https://[::127.0.0.1]:PORT/',
  'https://[64:ff9b::7f00:1]:PORT/',
  'https://[64:ff9b::10.0.0.7]:PORT/',
  'https://[64:ff9b:1::7f00:1]:PORT/',
  'https://[2002:7f00:1::]:PORT/',
  'https://[2001::7f00:1]:PORT/',
  'https://[fe80::1]:PORT/',
  'https://[fec0::1]:PORT/',
  'https://[fc00::1]:PORT/',
  'https://[fd00:ec2::254]:PORT/',
  'https://[ff02::1]:PORT/',
  'https://[2001:db8::1]:PORT/',
  'https://[100::1]:PORT/',
  'https://localhost:PORT/',
  'https://LOCALHOST.:PORT/',
  'https://postgres:PORT/',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://printer.local:PORT/',
  'https://a.localhost:PORT/',
  'https://user:password@loopback.example.com:PORT/',
  'https://user@9.9.9.9:PORT/',
  'http://9.9.9.9:PORT/',
  'http://127.0.0.1:PORT/',
  'ftp://9.9.9.9:PORT/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/',
  'unix:/var/run/docker.sock',
  'data:text/plain,x',
  '//127.0.0.1:PORT/',
  'https:127.0.0.1:PORT/',
  'https://',
  'not an address',
  ...Object.keys(NAMES).map((name) => `https://${name}:PORT/`),
];

/** A type of question to a name server, and a code of its replies. */
const [IPV4, SERVER_FAILURE] = [1, 2];

/** The reply of a name server: with an address of IPv4, or a code; none for undefined. */
function nameReply(question: Buffer, answer: (type: number) => string | number | undefined): Buffer | undefined {
  const end = question.indexOf(0, 12) + 5;
  const answered = answer(question.readUInt16BE(end - 4));
  if (answered === undefined) return undefined;
  const isAddress = typeof answered === 'string';
  const head = [0x81, 0x80 | (isAddress ? 0 : answered), 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0];
  // Of the name in the question, in the internet, for 0 s, of four bytes.
  const record = isAddress ? [0xc0, 12, 0, IPV4, 0, 1, 0, 0, 0, 0, 0, 4, ...answered.split('.').map(Number)] : [];
  return Buffer.concat([question.subarray(0, 2), Buffer.from(head), question.subarray(12, end), Buffer.from(record)]);
}

describe('A sender of webhooks', () => {
  let clients: UpstreamClientsService;
  let server: RawServer;
  /** Listens on every address of this machine, on both families. */
  let silent: Server;
  let silentPort: number;
  let heard = 0;
  /** Every connection that this process has attempted, to the ports of this file's addresses: a spec before it may have left a client behind. */
  const attempts: string[] = [];
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => {
      if ([80, 443, silentPort, server.port].includes(port)) attempts.push(`${address} ${port}`);
    });
  };

  beforeAll(async () => {
    subscribe('net.client.socket', watch);
    silent = createServer((socket) => {
      heard++;
      socket.destroy();
    });
    silent.listen(0, '::');
    await once(silent, 'listening');
    silentPort = (silent.address() as { port: number }).port;
  });
  afterAll(() => {
    unsubscribe('net.client.socket', watch);
    silent.close();
  });
  beforeEach(async () => {
    attempts.length = 0;
    heard = 0;
    server = await startRawServer();
    clients = new UpstreamClientsService(loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent' }));
  });
  afterEach(async () => {
    await clients.onApplicationShutdown();
    await server.close();
  });

  const resolve = (name: string): Promise<HostAddress[]> =>
    Promise.resolve((NAMES[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  const open = (options: Partial<WebhookSenderOptions> = {}): WebhookSender =>
    clients.openSender({ name: 'webhook', timeoutMs: 10_000, resolve, ...options });
  const request = (url: string, privateAllowed = true): WebhookRequest => ({
    operation: 'test',
    url,
    headers: { 'webhook-id': 'one' },
    body: '{"a":1}',
    privateAllowed,
  });

  it('has a table of at least 60 addresses', () => expect(new Set(REFUSED).size).toBeGreaterThanOrEqual(60));

  it.each(REFUSED)('attempts no connection for %s', async (address) => {
    const url = address.replace('PORT', String(silentPort));
    const result = await open().send(request(url, false));
    expect(result).toEqual({ accepted: false, outcome: 'address_refused' });
    expect([attempts, heard]).toEqual([[], 0]);
  });

  it('makes the same connections where they are allowed, so that the table above could fail', async () => {
    const url = `http://loopback.example.com:${silentPort}/`;
    expect(await open().send(request(url))).toMatchObject({ accepted: false, outcome: 'disconnected' });
    expect([attempts, heard]).toEqual([[`127.0.0.1 ${silentPort}`], 1]);
  });

  it('connects to the address that was checked, though the name has another one by then', async () => {
    const answers = [NOWHERE, '127.0.0.1'];
    const asked: string[] = [];
    const changing = (name: string): Promise<HostAddress[]> => {
      asked.push(name);
      const address = answers.shift() ?? '127.0.0.1';
      return Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
    };
    const sender = open({ resolve: changing, timeoutMs: 300 });
    const url = `https://rebinding.example.com:${silentPort}/`;
    expect(await sender.send(request(url, false))).toMatchObject({ accepted: false });
    expect([asked.length, attempts, heard]).toEqual([1, [`${NOWHERE} ${silentPort}`], 0]);
    expect(await sender.send(request(url, false))).toEqual({ accepted: false, outcome: 'address_refused' });
    expect([asked.length, attempts.length, heard]).toEqual([2, 1, 0]);
  });

  it('sends a body with its headers, and tells the status alone', async () => {
    server.answer((socket) => socket.write(rawReply(200, '{"secret":1}')));
    expect(await open().send(request(`${server.url}/hooks?a=b`))).toEqual({
      accepted: true,
      outcome: '200',
      status: 200,
    });
    expect(server.requests[0]).toMatch(/^POST \/hooks\?a=b HTTP\/1.1\r\n/);
    expect(server.requests[0]).toMatch(/webhook-id: one\r\n[^]*\{"a":1\}$/);
  });

  it('follows no redirect', async () => {
    const location = `http://127.0.0.1:${silentPort}/`;
    server.answer((socket) => socket.write(rawReply(302, '', { location })));
    const result = await open().send(request(server.url));
    expect(result).toEqual({ accepted: false, outcome: 'redirect', status: 302 });
    expect([heard, attempts]).toEqual([0, [`127.0.0.1 ${server.port}`]]);
  });

  it('reads a kilobyte of a reply and closes the connection of a longer one', async () => {
    const closed = Promise.withResolvers<void>();
    server.answer((socket) => {
      socket.on('close', closed.resolve);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n');
      socket.write('x'.repeat(4096));
    });
    expect(await open().send(request(server.url))).toMatchObject({ accepted: true, status: 200 });
    await closed.promise;
  });

  /** Sends a text again and again, until the other side ends the connection. */
  const sendWithoutEnd = (socket: Socket, text: string) => {
    const go = () => {
      while (socket.writable && socket.write(text));
    };
    socket.on('drain', go);
    go();
  };

  it.each([
    ['interim replies', '', 'HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n'.repeat(1000)],
    ['an extension of a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;', 'x'.repeat(64 * 1024)],
  ])('ends a request that brings %s without end', async (_, begin, further) => {
    server.answer((socket) => {
      socket.write(begin);
      sendWithoutEnd(socket, further);
    });
    const result = await open().send(request(server.url));
    expect(result).toMatchObject({ accepted: false, outcome: 'too_large' });
  });

  it('ends such a request over TLS, too', async () => {
    const own = selfSigned('loopback.example.com');
    const secure = await startRawServer(own);
    try {
      secure.answer((socket) => sendWithoutEnd(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)));
      const named = request(`https://loopback.example.com:${secure.port}/`);
      const result = await open({ ca: own.cert }).send(named);
      expect(result).toMatchObject({ accepted: false, outcome: 'too_large' });
    } finally {
      await secure.close();
    }
  });

  it('takes a reply by its status, however large its body is', async () => {
    server.answer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n');
      sendWithoutEnd(socket, 'x'.repeat(1024 * 1024));
    });
    expect(await open().send(request(server.url))).toMatchObject({ accepted: true, status: 200 });
  });

  it('counts what each request brings by itself', async () => {
    server.answer((socket) => socket.write(rawReply(200, '', { x: 'x'.repeat(7_000) })));
    const sender = open();
    for (let time = 0; time < 100; time++)
      expect(await sender.send(request(server.url))).toMatchObject({ accepted: true });
    expect(attempts.length).toBeLessThan(3);
  });

  it('keeps a connection for the next request', async () => {
    server.answer((socket) => socket.write(rawReply(204)));
    const sender = open();
    for (let time = 0; time < 3; time++) await sender.send(request(server.url));
    expect(server.requests).toHaveLength(3);
    expect(attempts.length).toBeLessThan(3);
  });

  // Codes of c-ares. ECONNREFUSED is of the name server.
  it.each([
    ['ENOTFOUND', 'no_such_name'],
    ['ENODATA', 'no_such_name'],
    ['ESERVFAIL', 'no_such_name'],
    ['EREFUSED', 'no_such_name'],
    ['EBADNAME', 'no_such_name'],
    ['ECONNREFUSED', 'no_such_name'],
    ['ETIMEOUT', 'timeout_connect'],
  ])('says so when the look-up of the name fails with %s', async (code, outcome) => {
    const failing = () => Promise.reject(Object.assign(new Error(`queryA ${code}`), { code }));
    const result = await open({ resolve: failing }).send(request('https://unknown.example.com/', false));
    expect(result).toEqual({ accepted: false, outcome });
    expect(attempts).toEqual([]);
  });

  it.each([
    ['fails', () => SERVER_FAILURE, 'no_such_name'],
    // Not the question for those of IPv6. The look-up would go on for five seconds; the address of IPv4 is found, and refused.
    ['answers one question alone', (type: number) => (type === IPV4 ? '127.0.0.1' : undefined), 'address_refused'],
  ])('asks a name server that %s', async (_, answer, outcome) => {
    const nameServer = createSocket('udp4').bind(0, '127.0.0.1');
    await once(nameServer, 'listening');
    nameServer.on('message', (question, { port }) => {
      const reply = nameReply(question, answer);
      if (reply) nameServer.send(reply, port);
    });
    const nameServers = [`127.0.0.1:${nameServer.address().port}`];
    const sender = clients.openSender({ name: 'webhook', timeoutMs: 3_000, nameServers });
    const result = await sender.send(request('https://loopback.example.com/', false));
    nameServer.close();
    expect(result).toEqual({ accepted: false, outcome });
  });

  it.each([
    ['hangs before a reply', () => undefined, 'timeout_total'],
    [
      'hangs within a reply',
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n'),
      'timeout_total',
    ],
    ['closes the connection', (socket: Socket) => void socket.end(), 'disconnected'],
    ['speaks no HTTP', (socket: Socket) => void socket.end('220 mail\r\n'), 'not_http'],
    [
      'sends large headers',
      (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`),
      'too_large',
    ],
    ['refuses', (socket: Socket) => void socket.write(rawReply(500)), '500'],
  ])('says why there is no success when a receiver %s', async (_, answer, outcome) => {
    server.answer(answer);
    expect(await open({ timeoutMs: 300 }).send(request(server.url))).toMatchObject({ accepted: false, outcome });
  });

  it('tells how long the receiver asks to wait', async () => {
    server.answer((socket) => socket.write(rawReply(503, '', { 'retry-after': '7200' })));
    expect(await open().send(request(server.url))).toMatchObject({ status: 503, retryAfterMs: 7_200_000 });
  });

  it('ends a request when the process stops', async () => {
    server.answer(() => stop.abort());
    const stop = new AbortController();
    const result = await open().send({ ...request(server.url), signal: stop.signal });
    expect(result).toEqual({ accepted: false, outcome: 'shutdown' });
  });

  it('checks certificates, for the name and not for the address', async () => {
    const own = selfSigned('loopback.example.com');
    const secure = await startRawServer(own);
    try {
      secure.answer((socket) => socket.write(rawReply(200)));
      const named = request(`https://loopback.example.com:${secure.port}/`);
      expect(await open().send(named)).toMatchObject({ accepted: false, outcome: 'tls' });
      expect(await open({ ca: own.cert }).send(request(secure.url))).toMatchObject({ accepted: false, outcome: 'tls' });
      expect(secure.requests).toEqual([]);
      expect(await open({ ca: own.cert }).send(named)).toMatchObject({ accepted: true });
    } finally {
      await secure.close();
    }
  });
});
