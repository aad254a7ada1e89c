import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ReplyMemory } from '@platform/http';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveLargeTickets } from '@test/factories/ticket.factory';
import { until } from '@test/until';

const OF_ALL = 16 * 1024 * 1024;
/** A page of 300 kB. */
const LIST = '/support/tickets?limit=1';
/** Requests of a connection: the system takes some 3 MB of replies that nobody reads. */
const REQUESTS = 60;

type Caller = Awaited<ReturnType<typeof createCaller>>;

describe('replies that nobody reads', () => {
  let api: TestApi;
  let memory: ReplyMemory;
  const sockets: Socket[] = [];
  const start = async (settings: Record<string, string>) => {
    api = await startApi({
      RATE_LIMIT_REQUESTS_PER_MINUTE: '100000',
      RATE_LIMIT_ADDRESS_PER_MINUTE: '100000',
      ...settings,
    });
    memory = api.app.get(ReplyMemory);
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(() => memory.bytes === 0);
    await api.stop();
  });

  const arrange = async (): Promise<Caller> => {
    const caller = await createCaller(api);
    await saveLargeTickets(api.superuser, caller.customer.id, 2);
    return caller;
  };
  /** Sends requests on one connection, and reads none of the replies. */
  const ignoreReplies = ({ token }: Caller, call = `GET /api/v1${LIST}`, headers = '', requests = REQUESTS): Socket => {
    const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined).pause();
    socket.write(
      `${call} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token.token}\r\n${headers}\r\n`.repeat(requests),
    );
    return socket;
  };

  it('fill the share of their customer, which is refused and told why; others are served', async () => {
    await start({ REPLY_MEMORY_BYTES: String(OF_ALL), REPLY_PATIENCE_MS: '600000' });
    const [me, other] = [await arrange(), await arrange()];
    let refused: Response;
    do {
      ignoreReplies(me);
      refused = await me.call(LIST);
    } while (refused.status === 200);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect((await expectProblem(refused, 429, 'rate_limited')).detail).toContain('not read');
    // Half of all, and the half of a page.
    expect(memory.bytes).toBeLessThan(OF_ALL / 2 + 200_000);
    expect((await other.call(LIST)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await until(() => memory.bytes === 0);
    expect((await me.call(LIST)).status).toBe(200);
  });

  it('fill it, too, when they are replays, which are made while they are read', async () => {
    await start({ REPLY_MEMORY_BYTES: String(OF_ALL), REPLY_PATIENCE_MS: '600000' });
    const me = await createCaller(api);
    // 12 MB in JSON.
    await saveLargeTickets(api.superuser, me.customer.id, 1, 400);
    const { rows } = await api.superuser.query<{ id: string }>('select id from support_ticket');
    const path = `/support/tickets/${rows[0]?.id}/close`;
    const close = () => me.call(path, { method: 'POST', headers: { 'idempotency-key': 'close-it' } });
    const first = await (await close()).text();
    const replayed = await close();
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect((await replayed.text()) === first).toBe(true);
    const before = process.memoryUsage().rss;
    let refused: Response;
    do {
      ignoreReplies(me, `POST /api/v1${path}`, 'Idempotency-Key: close-it\r\n', 1);
      refused = await close();
      await refused.body?.cancel();
    } while (refused.status === 201 || refused.status === 200);
    expect([refused.status, refused.headers.get('idempotency-replayed')]).toEqual([429, null]);
    expect(sockets.length).toBeGreaterThan(20);
    // Whole they would be 350 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    expect(memory.bytes).toBeLessThan(OF_ALL / 2 + 300_000);
  });

  it('end when their reader has taken too little for a time', async () => {
    await start({ REPLY_PATIENCE_MS: '200' });
    const socket = ignoreReplies(await arrange());
    await until(() => memory.slowReaders > 0);
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
    expect(memory.slowReaders).toBe(1);
  });
});
