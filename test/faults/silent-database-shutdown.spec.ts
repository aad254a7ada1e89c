import { startApiProcess } from '@test/api-process';
import { startTcpProxy, type TcpProxy } from '@test/tcp-proxy';
import { useTestDatabase } from '@test/use-test-database';
import { startWorkerProcess } from '@test/worker-process';

const GRACE_MS = 4_000;
/** A statement that was sent last waits for its answer 3 s; and the machine may be busy. */
const CLOSE_MS = 8_000;
const SETTINGS = { SHUTDOWN_GRACE_MS: String(GRACE_MS), DATABASE_STATEMENT_TIMEOUT_MS: '2000' };

jest.setTimeout(240_000);

const database = useTestDatabase();

describe('A process that is stopped while its database says nothing', () => {
  let proxy: TcpProxy;
  let url: URL;

  beforeAll(async () => {
    url = new URL(database.url);
    proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
  });
  afterAll(async () => {
    await proxy.close();
  });

  it.each([
    ['worker', startWorkerProcess],
    ['API', startApiProcess],
  ])('exits with 0, its grace and what its connections take to be given up later: the %s', async (_name, start) => {
    const running = await start({ DATABASE_URL: url.href, ...SETTINGS });
    try {
      expect(proxy.stall()).toBeGreaterThan(3);
      const asked = performance.now();
      expect(await running.stop('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(performance.now() - asked).toBeLessThan(GRACE_MS + CLOSE_MS);
    } finally {
      await running.stop('SIGKILL');
      proxy.closeStalled();
    }
  });
});
