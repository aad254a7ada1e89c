import { once } from 'node:events';
import { connect } from 'node:net';
import { createCaller, startApi, type TestApi } from '@test/api';

const CHUNK = '1\r\n{\r\n';
/** More chunks than any bound, and no end. */
const CHUNKS = 5_000;

describe('A body in chunks of one byte', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  /** Sends the chunks on a connection that is kept open, and waits until the server closes it. @returns all that it sent */
  async function send(method: string, path: string, token: string): Promise<string> {
    const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
    const received: Buffer[] = [];
    // The server closes without reading the rest.
    socket.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => undefined);
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${CHUNK.repeat(CHUNKS)}`,
    );
    await once(socket, 'close');
    return Buffer.concat(received).toString();
  }

  it.each([
    ['POST', '/api/v1/support/tickets', 400],
    ['GET', '/api/v1/customer', 200],
    ['GET', '/docs/openapi.json', 200],
    ['GET', '/nothing', 404],
  ])('ends the connection of a %s of %s, behind its reply', async (method, path, status) => {
    const { token } = await createCaller(api);
    expect(await send(method, path, token.token)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('ends the connection of a POST without a known token, behind its reply', async () => {
    expect(await send('POST', '/api/v1/support/tickets', 'unknown')).toMatch(/^HTTP\/1.1 401 /);
  });
});
