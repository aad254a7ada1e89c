import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import zlib, { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { fastify, type FastifyInstance } from 'fastify';
import { until } from '@test/until';
import { compressReplies } from './compression';

const LONG = JSON.stringify({ data: Array.from({ length: 200 }, (_, id) => ({ id, name: 'Blåbær' })) });
const JSON_TYPE = 'application/json; charset=utf-8';
const DECOMPRESS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

describe('compression of replies', () => {
  let server: FastifyInstance;
  let port: number;
  /** When the headers of a reply have arrived. */
  let arrived = Promise.withResolvers<void>();
  let reply: { type: string; body: string | Buffer | Readable; headers?: Record<string, string>; status?: number };

  beforeAll(async () => {
    server = fastify();
    compressReplies(server, () => false);
    server.get('/', (_request, out) =>
      out
        .code(reply.status ?? 200)
        .headers(reply.headers ?? {})
        .type(reply.type)
        .send(reply.body),
    );
    await server.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = server.server.address() as AddressInfo);
  });
  afterAll(() => server.close());

  async function get(accepted?: string): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer; text: string }> {
    arrived = Promise.withResolvers();
    const asked = request({
      port,
      host: '127.0.0.1',
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    arrived.resolve();
    const bytes = await buffer(answer);
    const encoding = answer.headers['content-encoding'];
    const text = encoding === undefined ? bytes : DECOMPRESS[encoding]?.(bytes);
    return { headers: answer.headers, bytes, text: String(text) };
  }

  it.each([
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, *', 'zstd'],
    ['*', 'zstd'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    [undefined, undefined],
    ['', undefined],
    ['deflate', undefined],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=x', undefined],
    ['identity, gzip;q=0.1', undefined],
  ])('of a client that accepts %s is %s', async (accepted, expected) => {
    for (const body of [LONG, Buffer.from(LONG)]) {
      reply = { type: JSON_TYPE, body };
      const { headers, bytes, text } = await get(accepted);
      expect([headers['content-encoding'], headers.vary, text]).toEqual([expected, 'accept-encoding', LONG]);
      expect(headers['content-length']).toBe(String(bytes.length));
      if (expected !== undefined) expect(bytes.length).toBeLessThan(Buffer.byteLength(LONG) / 3);
    }
  });

  it.each([
    ['shorter than 1 kB', JSON_TYPE, 'a'.repeat(1023)],
    ['events', 'text/event-stream', LONG],
    ['a PDF', 'application/pdf', LONG],
    ['binary', 'application/octet-stream', LONG],
  ])('leaves alone what is %s', async (_, type, body) => {
    reply = { type, body };
    const { headers, text } = await get('gzip');
    expect([headers['content-encoding'], headers.vary, text]).toEqual([undefined, undefined, body]);
  });

  it('leaves alone what is compressed already, and parts', async () => {
    reply = { type: JSON_TYPE, body: LONG, headers: { 'content-encoding': 'x' } };
    expect((await get('gzip')).headers['content-encoding']).toBe('x');
    reply = { type: JSON_TYPE, body: LONG, status: 206 };
    expect((await get('gzip')).headers['content-encoding']).toBeUndefined();
  });

  it('keeps what a reply varies by already', async () => {
    reply = { type: JSON_TYPE, body: LONG, headers: { vary: 'origin' } };
    expect((await get('gzip')).headers.vary).toBe('origin, accept-encoding');
  });

  it('compresses CSV while it is made', async () => {
    reply = { type: 'text/csv; charset=utf-8', body: Readable.from([LONG, LONG]) };
    const { headers, text } = await get('gzip');
    expect([headers['content-encoding'], headers.vary, text]).toEqual(['gzip', 'accept-encoding', LONG + LONG]);
  });

  it('lets other streams pass', async () => {
    for (const type of ['text/event-stream', 'application/pdf', 'application/problem+json']) {
      reply = { type, body: Readable.from([LONG]) };
      expect((await get('gzip')).headers['content-encoding']).toBeUndefined();
    }
  });

  it('ends the source when the client is gone', async () => {
    const source = new Readable({ read: () => source.push('a,b\n'.repeat(20_000)) });
    reply = { type: 'text/csv', body: source };
    const asked = request({ port, host: '127.0.0.1', headers: { 'accept-encoding': 'gzip' } });
    asked.on('error', () => undefined).end();
    await once(asked, 'response');
    asked.destroy();
    await until(() => source.destroyed);
  });

  it('sends an error as it is when the source breaks at its start', async () => {
    reply = { type: 'text/csv', body: Readable.from(breaking('')) };
    const { headers, text } = await get('gzip');
    expect([headers['content-encoding'], text]).toEqual([undefined, expect.stringContaining('The database is gone')]);
  });

  it('breaks the reply off when the source breaks later', async () => {
    reply = { type: 'text/csv', body: Readable.from(breaking(randomBytes(1_000_000).toString('base64'))) };
    await expect(get('gzip')).rejects.toThrow('aborted');
  });

  it('is left out for what comes while much is compressed', async () => {
    reply = { type: JSON_TYPE, body: 'x'.repeat(3 * 1024 * 1024) };
    const encodings = (await Promise.all([get('gzip'), get('gzip'), get('gzip')])).map(
      ({ headers }) => headers['content-encoding'],
    );
    expect(encodings).toContain('gzip');
    expect(encodings).toContain(undefined);
    expect((await get('gzip')).headers['content-encoding']).toBe('gzip');
  });

  it('is left out beyond 4 MiB at a time, not before', async () => {
    const held: (() => void)[] = [];
    const gzip = zlib.gzip as (...parts: unknown[]) => void;
    jest.spyOn(zlib, 'gzip').mockImplementation((...parts: unknown[]) => void held.push(() => gzip(...parts)));
    reply = { type: JSON_TYPE, body: 'x'.repeat(1024 * 1024) };
    const replies = Array.from({ length: 5 }, () => get('gzip'));
    expect((await Promise.race(replies)).headers['content-encoding']).toBeUndefined();
    await until(() => held.length === 4);
    for (const begin of held) begin();
    const encodings = (await Promise.all(replies)).map(({ headers }) => headers['content-encoding']);
    expect(encodings.filter((encoding) => encoding === 'gzip')).toHaveLength(4);
    jest.restoreAllMocks();
  });

  /** Breaks off after a text, once what was made of it has reached the client. */
  async function* breaking(text: string): AsyncGenerator<string> {
    if (text !== '') {
      yield text;
      await arrived.promise;
    }
    throw new Error('The database is gone');
  }
});
