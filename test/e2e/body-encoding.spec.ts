import { gzipSync } from 'node:zlib';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';

const TICKET = JSON.stringify({ title: 'A question', body: 'How?' });

describe('a body with a Content-Encoding', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  const post = async (encoding: string, body: string | Uint8Array<ArrayBuffer>) =>
    (await createCaller(api)).call('/support/tickets', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    });

  it.each(['gzip', 'br', 'GZip', 'identity, gzip', 'made-up'])('of %s is refused with 415', async (encoding) => {
    const problem = await expectProblem(
      await post(encoding, Uint8Array.from(gzipSync(TICKET))),
      415,
      'unsupported_media_type',
    );
    expect(problem.detail).toContain('Content-Encoding');
  });

  it('is refused even if it is not encoded at all', async () => {
    await expectProblem(await post('gzip', TICKET), 415, 'unsupported_media_type');
  });

  it('of identity is as it is', async () => {
    expect((await post('identity', TICKET)).status).toBe(201);
  });
});
