import { loadConfig } from '@platform/config';
import { UpstreamClientsService } from '@platform/upstream';
import { type RawServer, rawReply, startRawServer } from '@test/raw-server';
import { BillingCalendar } from '@platform/time';
import type { FikenLaneService } from './fiken-lane.service';
import { FikenAdapter } from './fiken.adapter';

describe("Fiken's count of pages", () => {
  let server: RawServer;
  let clients: UpstreamClientsService;
  beforeAll(async () => {
    server = await startRawServer();
    const config = loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent' });
    clients = new UpstreamClientsService(config);
  });
  afterAll(async () => {
    await clients.onApplicationShutdown();
    await server.close();
  });

  it.each<[string, Record<string, string>, string]>([
    ...['', ' ', '-1', '1e3', '0x10', '1.5', 'many'].map((count): [string, Record<string, string>, string] => [
      `that is ${JSON.stringify(count)}`,
      { 'fiken-api-page-count': count },
      'not in the documented format',
    ]),
    ['that comes with another page', { 'fiken-api-page-count': '1', 'fiken-api-page': '1' }, 'another page'],
  ])('%s is an error, not the end of the list', async (_, headers, message) => {
    server.answer((socket) => socket.write(rawReply(200, '[]', headers)));
    const client = clients.open({
      name: 'fiken',
      baseUrl: server.url,
      concurrency: 1,
      slowAfterMs: 1000,
      timeoutMs: 1000,
      maxReplyBytes: 1000,
      retries: 0,
      retryPauseMs: 5,
    });
    // The lane has its own spec.
    const lane = {
      use: (_: unknown, { signal }: { signal: AbortSignal }, work: (held: AbortSignal) => unknown) => work(signal),
    };
    const settings = { url: server.url, token: 'token', company: 'demo' };
    const source = new FikenAdapter(
      settings,
      client,
      lane as unknown as FikenLaneService,
      new BillingCalendar(loadConfig({ BILLING_TIMEZONE: 'Europe/Oslo' })),
    );
    const page = source.readPage({ feed: 'invoices', account: '1' }, new AbortController().signal);
    await expect(page).rejects.toThrow(message);
  });
});
