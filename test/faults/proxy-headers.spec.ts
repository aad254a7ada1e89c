import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expectProblem } from '@test/expect-problem';
import { describeWithNginx, type NginxProxy, startNginx } from '@test/nginx-proxy';
import { until } from '@test/until';

/** More connections than nginx had; the system of the test may allow as many files (`ulimit -n`). */
const CONNECTIONS = 8500;

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

  it('shut nobody out, however many one address has', async () => {
    await begin(CONNECTIONS, 'X-A: ');
    const statuses: unknown[] = [];
    for (let count = 0; count < 20; count++) statuses.push(await status(proxy.baseUrl));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }, 60_000);
});
