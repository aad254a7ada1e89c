import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { startApi, type TestApi } from '@test/api';

describe('the pages of the documentation', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi({ PUBLIC_URL: 'https://api.example/customers' })));
  afterAll(() => api.stop());

  it('are the same whatever somebody else has added to their address before', async () => {
    const pages = [];
    for (const address of ['/docs?/', '/%64ocs', '/docs']) pages.push(await (await fetch(api.origin + address)).text());
    expect(pages[2]).toContain('./docs/swagger-ui-bundle.js');
    expect(new Set(pages).size).toBe(1);
  });

  it('are kept all of them: somebody who asks for those first that no page needs keeps out none', async () => {
    const files = await readdir(dirname(require.resolve('swagger-ui-dist/package.json')));
    for (const file of files) await (await fetch(`${api.origin}/docs/${file}`)).arrayBuffer();
    for (const file of ['', '/', '/errors', '/openapi.json', '/openapi.yaml', '/swagger-ui-init.js']) {
      const { headers, body } = await fetch(`${api.origin}/docs${file}`);
      await body?.cancel();
      expect([file, headers.get('content-encoding')]).toEqual([file, expect.any(String)]);
    }
  });

  it('are not found at other addresses', async () => {
    const ask = async () => (await fetch(`${api.origin}/docs/none.js`)).status;
    expect(await Promise.all([ask(), ask()])).toEqual([404, 404]);
  });

  it.each(['/docs', '/%64ocs'])(
    'run scripts of ours alone, in no frame, and send requests to the API alone, at the address that customers use: %s',
    async (address) => {
      const { status, headers } = await fetch(api.origin + address);
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy')?.split('; ') ?? [];
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "connect-src 'self' https://api.example",
          "form-action 'none'",
          "frame-ancestors 'none'",
        ]),
      );
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );
});
