import { InternalListenerService } from '@platform/internal-listener';
import { startApi, type TestApi } from '@test/api';
import { rawHttp } from '@test/raw-http';
import type { AddressInfo } from 'node:net';

const ELKS = '/sms/delivery-reports/46elks/';
const REFERENCE = 'A'.repeat(64);
const FORM = 'id=s1&status=delivered';

/** Reports as anybody could post them through the operator's proxy: to the real listener, byte by byte. */
describe('A delivery report to a strange address', () => {
  let api: TestApi;
  let origin: string;
  beforeAll(async () => {
    api = await startApi({ INTERNAL_PORT: '0' });
    const { port } = api.app.get(InternalListenerService).server.server.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
  });
  afterAll(() => api.stop());

  const post = (path: string, body: string | Buffer) => {
    const bytes = Buffer.from(body);
    const head = ['Host: api', 'Content-Type: application/x-www-form-urlencoded', 'Connection: close'];
    const lines = [`POST ${path} HTTP/1.1`, ...head, `Content-Length: ${bytes.length}`, '', ''];
    return rawHttp(origin, lines.join('\r\n'), bytes);
  };

  it.each<[string, number]>([
    ['%00', 401],
    [`${REFERENCE}%00`, 401],
    [REFERENCE, 401],
    ['%E2%82', 400],
    ['%ff', 400],
    ['%zz', 400],
    ['%', 400],
    ['%2e%2e%2f%00', 401],
    ["'; select 1 --".replaceAll(' ', '%20'), 401],
    ['A'.repeat(5000), 414],
  ])('is refused (%#)', async (reference, status) => {
    const reply = await post(`${ELKS}${reference}`, FORM);
    expect(reply?.status).toBe(status);
    expect(reply?.body).not.toMatch(/postgres|invalid byte|encoding|select|stack|node_modules/i);
  });

  it.each([
    ['a NUL', 'id=%00&status=delivered'],
    ['a raw NUL', 'id=\u0000&status=delivered'],
    ['no character', 'id=%ff%fe&status=delivered'],
    ['an unfinished escape', 'id=%&status=delivered'],
    ['bytes that are no UTF-8', Buffer.from([0x69, 0x64, 0x3d, 0xff, 0xfe])],
  ])('or with %s in it is no fault of ours', async (_case, body) => {
    for (const path of [`${ELKS}${REFERENCE}`, '/sms/delivery-reports/link-mobility']) {
      expect([400, 401]).toContain((await post(path, body))?.status);
    }
  });
});
