import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fingerprintOf, generateToken, hashToken } from '@platform/tokens';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { caller } from '@test/api';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { connectAsSuperuser, createTestDatabase } from '@test/test-database';

describe('the access log', () => {
  it('has one line of JSON for each request, also those just before the end, and no token; so has its copy', async () => {
    const database = await createTestDatabase();
    const superuser = await connectAsSuperuser(database);
    const { id } = await saveFakeCustomer(superuser);
    const { token, id: tokenId } = await saveFakeToken(superuser, id);
    const LOG_DIRECTORY = await mkdtemp(join(tmpdir(), 'access-log-'));
    const api: ApiProcess = await startApiProcess({
      DATABASE_URL: database.url,
      LOG_LEVEL: 'info',
      LOG_DIRECTORY,
      SHUTDOWN_IDLE_MS: '0',
    });
    await (await caller(api.baseUrl, token)('/customer', { headers: { 'x-request-id': 'mine-1' } })).arrayBuffer();
    await (await fetch(`${api.baseUrl}/nothing`)).arrayBuffer();
    const mistaken = await fetch(`${api.baseUrl}/nothing`, { headers: { 'x-request-id': `call-${token}` } });
    expect(mistaken.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    const unknown = generateToken();
    for (const refused of [unknown, 'a-password'])
      await (await caller(api.baseUrl, refused)('/customer')).arrayBuffer();
    await api.stop();
    await superuser.end();
    await database.drop();

    const { stdout } = api.output();
    const requestsIn = (log: string) => log.split('\n').filter((line) => line.includes('"msg":"request"'));
    const lines = requestsIn(stdout);
    const copies = await readdir(LOG_DIRECTORY);
    const texts = await Promise.all(copies.map((name) => readFile(join(LOG_DIRECTORY, name), 'utf8')));
    await rm(LOG_DIRECTORY, { recursive: true });
    expect(requestsIn(texts.join(''))).toEqual(lines);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        request_id: 'mine-1',
        customer_id: id,
        token_id: tokenId,
        method: 'GET',
        route: '/api/v1/customer',
        status: 200,
        duration_ms: expect.any(Number) as number,
      }),
      expect.objectContaining({ route: null, status: 404, code: 'not_found' }),
      expect.objectContaining({ route: null, request_id: mistaken.headers.get('x-request-id') }),
      expect.objectContaining({ code: 'unauthorized', refused_token: fingerprintOf(hashToken(unknown)) }),
      expect.not.objectContaining({ refused_token: expect.anything() as string }),
    ]);
    expect(stdout).not.toContain(token);
    expect(stdout).not.toContain(unknown);
    expect(stdout).not.toContain('a-password');
  });
});
