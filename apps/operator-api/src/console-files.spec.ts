import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastify, type FastifyInstance } from 'fastify';
import { loadConfig } from '@platform/config';
import { protectPages, serveConsole } from './console-files';

const PAGE =
  '<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><script src="/assets/main-1.js"></script>';

describe("The console's files", () => {
  let server: FastifyInstance;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), PAGE);
    await writeFile(join(folder, 'assets', 'main-1.js'), 'main();');
    await writeFile(join(folder, 'favicon.svg'), '<svg/>');
    server = fastify();
    protectPages(server, loadConfig({ OPERATOR_URL: 'https://console.example' }));
    serveConsole(server, [join(folder, 'none'), folder]);
    server.get('/operator/v1/today', () => ({ data: [] }));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const get = async (url: string, accept = '*/*') => {
    const { statusCode, headers, body } = await server.inject({ url, headers: { accept } });
    return { status: statusCode, type: headers['content-type'], cached: headers['cache-control'], headers, body };
  };

  it.each([
    ['/', '*/*'],
    ['/customers/100001?tab=ai', 'text/html,*/*;q=0.8'],
    ['/docsx', 'text/html'],
    ['/docs%2fx', 'text/html'],
  ])('are the page at %s, with a nonce of its own', async (url, accept) => {
    const { status, type, headers, body } = await get(url, accept);
    expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
    const [, nonce = 'none'] =
      /style-src 'self' 'nonce-([^']+)'/.exec(headers['content-security-policy'] as string) ?? [];
    expect(body).toBe(PAGE.replace('__CSP_NONCE__', nonce));
    expect((await get(url, accept)).body).not.toBe(body);
  });

  it('are kept for ever if their names have a hash, and asked for each time otherwise', async () => {
    expect(await get('/assets/main-1.js')).toMatchObject({
      ...{ status: 200, type: 'text/javascript; charset=utf-8', body: 'main();' },
      cached: 'public, max-age=31536000, immutable',
    });
    expect(await get('/favicon.svg')).toMatchObject({ status: 200, type: 'image/svg+xml', cached: 'no-cache' });
  });

  it.each(['/operator/v1/nothing', '/docs/nothing', '/health/nothing', '/assets/main-0.js'])(
    'do not answer for %s, which is no page',
    async (url) => expect(await get(url, 'text/html')).toMatchObject({ status: 404 }),
  );

  it('answer neither a program that asks for no page, nor an address outside of their folder, nor a route', async () => {
    expect((await get('/customers/100001', 'application/json')).status).toBe(404);
    for (const url of ['/../package.json', '/assets/../../package.json', '/%2e%2e/package.json', '/assets'])
      expect((await get(url)).status).toBe(404);
    expect((await get('/operator/v1/today', 'text/html')).body).toBe('{"data":[]}');
  });

  it.each([
    ['https://console.example', 'max-age=31536000'],
    ['HTTPS://console.example', 'max-age=31536000'],
    ['http://localhost:3001', undefined],
    [undefined, undefined],
  ])('are asked for with TLS alone from then on if the address has it: %s', async (OPERATOR_URL, policy) => {
    const other = fastify();
    protectPages(other, loadConfig({ OPERATOR_URL }));
    const { headers } = await other.inject({ url: '/' });
    expect(headers['strict-transport-security']).toBe(policy);
    await other.close();
  });
});
