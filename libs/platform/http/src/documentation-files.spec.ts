import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import zlib, { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import { fastify, type FastifyInstance } from 'fastify';
import { compressReplies } from './compression';
import { isDocumentation, keepDocumentationFiles } from './documentation-files';

const DOCUMENT = JSON.stringify({ paths: Array.from({ length: 500 }, (_, id) => ({ id, summary: 'Blåbær' })) });
const SCRIPT = 'export const answer = 42;\n'.repeat(200);
const DECOMPRESS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

describe('files of the documentation', () => {
  let server: FastifyInstance;
  let folder: string;
  let made: number;
  let failing: boolean;
  const compressions = () =>
    [zlib.brotliCompress, zlib.gzip, zlib.zstdCompress].reduce(
      (sum, each) => sum + jest.mocked(each).mock.calls.length,
      0,
    );

  beforeEach(async () => {
    jest.spyOn(zlib, 'brotliCompress');
    jest.spyOn(zlib, 'gzip');
    jest.spyOn(zlib, 'zstdCompress');
    made = 0;
    failing = false;
    folder = await mkdtemp(join(tmpdir(), 'documentation-'));
    await writeFile(join(folder, 'script.js'), SCRIPT);
    server = fastify();
    keepDocumentationFiles(server);
    compressReplies(server, isDocumentation);
    await server.register(fastifyStatic, { root: folder, prefix: '/docs/', decorateReply: false });
    server.get('/docs/openapi.json', (_request, reply) => {
      made++;
      if (!failing) return reply.type('application/json').send(DOCUMENT);
      failing = false;
      return reply.code(500).send();
    });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function get(url: string, headers: Record<string, string> = {}) {
    const reply = await server.inject({ url, headers });
    const encoding = reply.headers['content-encoding'];
    const text = String(encoding === undefined ? reply.rawPayload : DECOMPRESS[encoding]?.(reply.rawPayload));
    return { status: reply.statusCode, headers: reply.headers, bytes: reply.rawPayload, text };
  }

  it.each([
    ['/docs/openapi.json', DOCUMENT, 'application/json'],
    ['/docs/script.js', SCRIPT, 'application/javascript'],
  ])('are compressed once for each encoding: %s', async (url, text, type) => {
    for (let round = 0; round < 4; round++)
      for (const encoding of ['br', 'gzip', 'zstd']) {
        const reply = await get(url, { 'accept-encoding': encoding });
        expect(reply).toMatchObject({ status: 200, text });
        expect(reply.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
        expect(reply.headers['content-type']).toContain(type);
        expect(reply.headers['content-length']).toBe(String(reply.bytes.length));
      }
    expect(compressions()).toBe(3);
  });

  it('are whole after a HEAD that came first', async () => {
    expect((await server.inject({ method: 'HEAD', url: '/docs/script.js' })).statusCode).toBe(200);
    expect(await get('/docs/script.js')).toMatchObject({ status: 200, text: SCRIPT });
  });

  it('are made once, also for HEAD and with conditions, which a generated file does not have', async () => {
    await get('/docs/openapi.json');
    await server.inject({ method: 'HEAD', url: '/docs/openapi.json' });
    expect(await get('/docs/openapi.json?again', { 'if-none-match': '"1"', range: 'bytes=0-1' })).toMatchObject({
      status: 200,
      text: DOCUMENT,
    });
    expect(made).toBe(1);
  });

  it('are made once for many who ask at the same time; after a failure the next one makes it', async () => {
    failing = true;
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => get('/docs/openapi.json', { 'accept-encoding': 'gzip' })),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array.from({ length: 19 }, () => 200), 500]);
    expect(made).toBe(2);
    expect(compressions()).toBe(1);
  });

  it('are not found at other addresses', async () => {
    const replies = await Promise.all([get('/docs/none.js'), get('/docs/none.js')]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404]);
  });

  it('are sent as they are to who accepts no compression', async () => {
    for (const headers of [undefined, { 'accept-encoding': 'identity' }]) {
      const reply = await get('/docs/script.js', headers);
      expect(reply).toMatchObject({ text: SCRIPT });
      expect(reply.headers['content-encoding']).toBeUndefined();
    }
  });

  it('are sent in part or on a condition by who has them', async () => {
    const { headers } = await get('/docs/script.js');
    expect(await get('/docs/script.js', { range: 'bytes=0-5' })).toMatchObject({ status: 206, text: 'export' });
    expect(await get('/docs/script.js', { 'if-none-match': headers.etag ?? '' })).toMatchObject({
      status: 304,
      text: '',
    });
  });

  it.each(['/docs/openapi.json', '/docs/script.js'])(
    'are made once however their address is written: %s',
    async (url) => {
      const name = url.slice('/docs/'.length);
      const escaped = (index: number) =>
        [...name]
          .map((letter, place) => ((index >> place) % 2 ? `%${letter.charCodeAt(0).toString(16)}` : letter))
          .join('');
      const addresses = Array.from({ length: 50 }, (_, index) => [
        `/docs/${escaped(index)}`,
        `/%64ocs/${escaped(index)}?x`,
      ]);
      const { text } = await get(url, { 'accept-encoding': 'gzip' });
      for (const address of addresses.flat()) {
        const reply = await get(address, { 'accept-encoding': 'gzip' });
        expect(reply).toMatchObject({ status: 200, text, headers: { 'content-encoding': 'gzip' } });
      }
      expect(compressions()).toBe(1);
      expect(made).toBeLessThanOrEqual(1);
    },
  );

  it('are kept up to a number; further ones are sent without compression', async () => {
    const encodings: unknown[] = [];
    for (let index = 0; index < 70; index++) {
      await writeFile(join(folder, `${index}.js`), SCRIPT);
      const reply = await get(`/docs/${index}.js`, { 'accept-encoding': 'gzip' });
      expect(reply).toMatchObject({ status: 200, text: SCRIPT });
      encodings.push(reply.headers['content-encoding']);
    }
    expect(compressions()).toBe(64);
    expect(new Set(encodings)).toEqual(new Set(['gzip', undefined]));
  });
});
