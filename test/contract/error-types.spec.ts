import { readFileSync } from 'node:fs';
import { type CustomerErrorCode as ErrorCode, errorCatalog, problemType } from '@platform/errors';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';

/** The `type` of a problem leads to a page of the service, also if the proxy wrote the problem. */
describe('types of problems', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  it('lead to the section of the code on the server that answered', async () => {
    const { call } = await createCaller(api);
    const reply = await call('/nothing');
    const { type, code } = await expectProblem(reply, 404, 'not_found');
    const page = await fetch(new URL(type, reply.url));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain(`<section id="${code}">`);
  });

  it('are the same from the proxy, with the title and status of the catalogue', () => {
    const proxy = readFileSync('apps/operator/proxy/nginx.conf', 'utf8');
    const problems = [...proxy.matchAll(/'("type":".*")'/g)].map(
      ([, members]) => JSON.parse(`{${members}}`) as { type: string; title: string; status: number; code: ErrorCode },
    );
    expect(problems.length).toBeGreaterThanOrEqual(5);
    for (const { type, title, status, code } of problems) {
      expect({ type, title, status }).toEqual({
        type: problemType(code),
        title: errorCatalog[code].title,
        status: errorCatalog[code].status,
      });
    }
  });
});
