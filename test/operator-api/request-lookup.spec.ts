import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { until } from '@test/until';

describe('the look-up of a request in the operator API', () => {
  let folder: string;
  let api: TestOperatorApi;
  let kari: TestOperator;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'request-lookup-'));
    api = await startOperatorApi({ LOG_DIRECTORY: folder });
    kari = await logIn(api, 'viewer');
  });
  afterAll(async () => {
    await api.stop();
    await rm(folder, { recursive: true });
  });

  it('in the log files ends when nobody waits for it any more', async () => {
    // A file that is as long as the test wants.
    const path = join(folder, `replica-${new Date().toISOString().slice(0, 10)}.jsonl`);
    execFileSync('mkfifo', [path]);
    const client = new AbortController();
    const asked = kari
      .call('/requests/outcome?request_id=r1', { signal: client.signal })
      .catch((error: unknown) => error);
    const log = await open(path, 'w');
    await log.write('{"msg":"request","request_id":"r0"}\n');
    client.abort();
    await asked;
    // Writing fails once nobody reads.
    const fails = () =>
      log.write('{"msg":"request","request_id":"r0"}\n').then(
        () => false,
        (error: unknown) => (error as NodeJS.ErrnoException).code === 'EPIPE',
      );
    await until(fails);
    await log.close();
    const again = kari.call('/requests/outcome?request_id=r1');
    const line = { msg: 'request', request_id: 'r1', method: 'GET', route: '/', status: 200, time: new Date() };
    const next = await open(path, 'w');
    await next.write(`${JSON.stringify(line)}\n`);
    await next.close();
    expect(await (await again).json()).toMatchObject({ data: [{ outcome: 'succeeded', status: 200 }] });
  });
});
