import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connect } from 'node:tls';
import { freePort } from '@test/free-port';
import { describeWithNginx } from '@test/nginx-proxy';
import { selfSigned } from '@test/self-signed';
import { until } from '@test/until';

const IN_PROGRESS = 200;
/** As many as nginx has connections by its own default. */
const UNFINISHED = 512;

describeWithNginx("The console's TLS proxy", () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-proxy-'));
  const certificate = selfSigned();
  const TRUSTED = { ca: certificate.cert, checkServerIdentity: () => undefined };
  /** What waits at the operator API. */
  const waiting: ServerResponse[] = [];
  /** Which requests came there. */
  const seen: string[] = [];
  const console = createServer((asked: IncomingMessage, reply) => {
    seen.push(asked.url ?? '');
    if (asked.url === '/waits') waiting.push(reply);
    else reply.end('served');
  });
  let port: number;
  let nginx: ChildProcess;

  beforeAll(async () => {
    await once(console.listen(0, '127.0.0.1'), 'listening');
    port = await freePort();
    writeFileSync(join(folder, 'fullchain.pem'), certificate.cert);
    writeFileSync(join(folder, 'privkey.pem'), certificate.key);
    const configuration = readFileSync('apps/operator/console-proxy/nginx.conf', 'utf8')
      .replaceAll('/tmp/', `${folder}/`)
      .replaceAll('/run/certificates', folder)
      .replace('console:3001', `127.0.0.1:${(console.address() as AddressInfo).port}`)
      .replace('listen 8443', `listen 127.0.0.1:${port}`)
      // Since 1.25.1.
      .replace('http2 on;', '');
    writeFileSync(join(folder, 'nginx.conf'), configuration);
    const PATH = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].join(delimiter);
    nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], { env: { PATH }, stdio: 'ignore' });
    await until(async () => (await ask('/').catch(() => undefined)) === 200);
  });
  afterAll(async () => {
    const exited = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await exited;
    console.close();
    rmSync(folder, { recursive: true });
  });

  async function ask(path: string): Promise<number> {
    const asked = request({ host: '127.0.0.1', port, path, ...TRUSTED, agent: false });
    const [reply] = (await once(asked.end(), 'response')) as [IncomingMessage];
    reply.resume();
    return reply.statusCode ?? 0;
  }

  it('serves others beside requests whose headers do not end', async () => {
    const unfinished: Socket[] = [];
    for (let count = 0; count < UNFINISHED; count++) {
      const socket = connect({ host: '127.0.0.1', port, ...TRUSTED }).on('error', () => undefined);
      unfinished.push(socket);
      await once(socket, 'secureConnect');
      socket.write('GET / HTTP/1.1\r\n');
    }
    expect(await ask('/')).toBe(200);
    for (const socket of unfinished) socket.destroy();
  });

  it('keeps a body until it has ended', async () => {
    const asked = request({ host: '127.0.0.1', port, path: '/slow', method: 'POST', ...TRUSTED, agent: false });
    asked.setHeader('Content-Length', 1 << 20);
    asked.write('x'.repeat(1 << 19));
    const replied = once(asked, 'response') as Promise<[IncomingMessage]>;
    // It passes what it passes at once before others are served.
    for (let count = 0; count < 20; count++) expect(await ask('/')).toBe(200);
    expect(seen).not.toContain('/slow');
    asked.end('x'.repeat(1 << 19));
    expect((await replied)[0].resume().statusCode).toBe(200);
    expect(seen).toContain('/slow');
    expect(readdirSync(join(folder, 'body'))).toEqual([]);
  });

  it('bounds the requests in progress from an address', async () => {
    const asked = Array.from({ length: IN_PROGRESS }, () => ask('/waits'));
    await until(() => waiting.length === IN_PROGRESS);
    expect(await ask('/')).toBe(429);
    for (const reply of waiting.splice(0)) reply.end();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
    await until(async () => (await ask('/')) === 200);
  });
});
