import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import net, { connect, Socket } from 'node:net';
import { join } from 'node:path';
import { loadConfig } from '@platform/config';
import { freePort } from '@test/free-port';
import { type RawServer, rawReply, startRawServer } from '@test/raw-server';
import { until } from '@test/until';
import { SilenceWatch } from './silence-watch';
import type { UpstreamRequest } from './upstream-options';
import { type ClientOptions, UpstreamClientsService } from './upstream-clients.service';

const SILENT_MS = 200;
const request: UpstreamRequest = { operation: 'test', method: 'POST', path: '/x', body: 'x' };

describe('A call whose upstream says nothing', () => {
  let clients: UpstreamClientsService;
  beforeEach(() => (clients = new UpstreamClientsService(loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent' }))));
  afterEach(() => clients.onApplicationShutdown());

  const open = (baseUrl: string, options: Partial<ClientOptions> = {}) =>
    clients.open({
      ...{ name: 'stand-in', baseUrl, concurrency: 4, slowAfterMs: 60_000, timeoutMs: 60_000, maxReplyBytes: 1000 },
      ...{ retries: 0, retryPauseMs: 5, connectTimeoutMs: 300, silentAfterMs: SILENT_MS, ...options },
    });
  const text = (client: ReturnType<typeof open>) => client.call(request, ({ body }) => body.toString());

  describe('because the network has gone', () => {
    /** A server whose process is stopped, with its queue of connections full: the system drops what is sent to it. */
    let server: ChildProcess;
    let port: number;
    const fillers: Socket[] = [];
    beforeEach(async () => {
      server = fork(join(process.cwd(), 'test', 'support', 'small-queue-server.cjs'));
      [port] = (await once(server, 'message')) as [number];
    });
    afterEach(() => {
      for (const filler of fillers.splice(0)) filler.destroy();
      server.kill('SIGKILL');
    });

    /** Stops the server and connects until a connection is not taken any more. */
    async function goAway(): Promise<void> {
      server.kill('SIGSTOP');
      for (let taken = true; taken;) {
        const filler = connect(port, '127.0.0.1').on('error', () => undefined);
        fillers.push(filler);
        taken = await Promise.race([
          once(filler, 'connect').then(() => true),
          new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 500)),
        ]);
      }
    }

    it('ends after two attempts to connect, as one that may have had its effect', async () => {
      const client = open(`http://127.0.0.1:${port}`);
      expect(await text(client)).toBe('answered');
      await goAway();
      const began = performance.now();
      await expect(text(client)).rejects.toMatchObject({ reason: 'gone_silent', sent: true });
      expect(performance.now() - began).toBeLessThan(30_000);
    });

    it('goes on if it is not to be checked', async () => {
      const client = open(`http://127.0.0.1:${port}`, { silentAfterMs: undefined, timeoutMs: 2_000 });
      expect(await text(client)).toBe('answered');
      await goAway();
      await expect(text(client)).rejects.toMatchObject({ reason: 'timeout_total' });
    });
  });

  describe('and to which no connection can be made', () => {
    afterEach(() => jest.restoreAllMocks());

    /** Watches a call that is silent already. @returns whether it is ended, and not left alone time after time */
    async function isEnded(baseUrl: string): Promise<boolean> {
      let [looks, ended] = [0, false];
      const since = performance.now() - SILENT_MS;
      const call = {
        get listeningSince() {
          looks++;
          return since;
        },
        end: () => (ended = true),
      };
      const watch = new SilenceWatch({ baseUrl, afterMs: SILENT_MS, connectTimeoutMs: 2_000 }, [call]);
      // Once before an attempt to connect, and once after those that failed, which ends it.
      await until(() => ended || looks >= 3);
      watch.stop();
      return ended;
    }

    it('ends if there is no way to it', async () => {
      // No TCP connection can be made to the broadcast address, with or without a network.
      expect(await isEnded('http://255.255.255.255')).toBe(true);
    });

    it('goes on if its name cannot be looked up', async () => {
      // A name that no resolver takes, with or without a network.
      expect(await isEnded(`http://${'x'.repeat(64)}.invalid`)).toBe(false);
    });

    it.each(['EMFILE', 'EADDRNOTAVAIL', 'ENOBUFS'])(
      'goes on if the attempt fails on this machine: %s',
      async (code) => {
        const attempts = jest
          .spyOn(net, 'connect')
          .mockImplementation(() => new Socket().destroy(Object.assign(new Error(code), { code })));
        expect(await isEnded('http://127.0.0.1:1')).toBe(false);
        expect(attempts).toHaveBeenCalled();
      },
    );

    it('goes on if somebody refuses the connection', async () => {
      expect(await isEnded(`http://127.0.0.1:${await freePort()}`)).toBe(false);
    });
  });

  describe('because it thinks', () => {
    let server: RawServer;
    beforeEach(async () => (server = await startRawServer()));
    afterEach(() => server.close());

    it('is checked once in a while, and answered at last', async () => {
      let connections = 0;
      server.connect(() => connections++);
      // One for the call, and one for each check.
      server.answer((socket) => void until(() => connections >= 4).then(() => socket.write(rawReply(200, 'thought'))));
      expect(await text(open(server.url))).toBe('thought');
      expect(connections).toBeGreaterThanOrEqual(4);
    });
  });
});
