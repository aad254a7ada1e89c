import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppConfig } from '@platform/config';
import { endIdleConnections } from './connections';

/** Number of listening sockets: Node accepts one connection per socket and turn of the event loop. */
const SOCKETS = 64;
/** Length of the queues of connections that wait to be accepted, in total; the same as the proxy's (docker-compose.yml). */
const BACKLOG = 4096;

export interface ListenAddress {
  host: string;
  port: number;
}

/**
 * Listens with several sockets on one address (SO_REUSEPORT). Under load a turn takes milliseconds; with a single socket
 * new connections would wait for seconds, unnoticed by any measurement. Systems other than Linux get a single socket.
 * @param sockets stops them all, at the latest when the application closes
 * @throws EADDRINUSE
 */
export async function listen(
  app: NestFastifyApplication,
  { host, port }: ListenAddress,
  sockets = new ListeningSockets(),
): Promise<void> {
  const http = app.getHttpServer();
  sockets.add(http);
  if (process.platform !== 'linux') {
    await app.listen({ host, port, backlog: BACKLOG });
    return;
  }
  await assertFree(host, port);
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => http.emit('connection', socket)),
  );
  for (const one of others) sockets.add(one);
  const shared = { host, reusePort: true, backlog: BACKLOG / SOCKETS };
  await app.listen({ ...shared, port });
  const { port: taken } = http.address() as AddressInfo;
  await Promise.all(others.map((one) => once(one.listen({ ...shared, port: taken }), 'listening')));
}

/** With SO_REUSEPORT, a second process could otherwise take part of the connections without an error. */
async function assertFree(host: string, port: number): Promise<void> {
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/** Turns of the event loop without a new connection after which the queues count as empty. */
const QUIET_TURNS = 2;
/** Under a flood of connections the queues are never empty. */
const MOST_TURNS = 200;

/** The listening sockets of the HTTP server. They stop together, and once. */
@Injectable()
export class ListeningSockets {
  private readonly sockets: { server: Server; close: Server['close'] }[] = [];
  private ended?: Promise<void>;

  /** Takes over closing a server: Fastify closes it with the application, and it may have been stopped before. */
  add(server: Server): void {
    this.sockets.push({ server, close: server.close.bind(server) });
    server.close = (done) => {
      void this.stop().then(() => done?.());
      return server;
    };
  }

  /**
   * Accepts no more connections: a caller, such as a proxy, is refused before it has sent anything, and tries another
   * replica. Connections that wait to be accepted are accepted first, as their callers believe to be connected.
   * @returns when all connections have ended
   */
  stop(): Promise<void> {
    this.ended ??= this.acceptWaiting().then(() => this.close());
    return this.ended;
  }

  private async acceptWaiting(): Promise<void> {
    let quiet = 0;
    const accepted = () => (quiet = 0);
    for (const { server } of this.sockets) server.on('connection', accepted);
    for (let turn = 0; turn < MOST_TURNS && quiet < QUIET_TURNS; turn++) {
      quiet++;
      await nextTurn();
    }
    for (const { server } of this.sockets) server.off('connection', accepted);
  }

  private async close(): Promise<void> {
    // One that never listened reports an error, and has ended.
    await Promise.all(this.sockets.map(({ close }) => new Promise((resolve) => close(resolve))));
  }
}

const CLOSE_IDLE_EVERY_MS = 50;

/**
 * Whether the process is draining: it accepts no more connections, answers the requests on those that it has, and closes
 * each after its reply. Nobody is refused: the proxy chooses another replica.
 *
 * An idle connection stays open for `SHUTDOWN_IDLE_MS`: a proxy that keeps it for less time never sends a request on one that
 * is being closed, whose outcome it would not know.
 */
@Injectable()
export class Draining implements OnModuleDestroy {
  active = false;

  constructor(
    private readonly config: AppConfig,
    private readonly adapterHost: HttpAdapterHost,
    private readonly sockets: ListeningSockets,
  ) {}

  onModuleDestroy(): void {
    this.active = true;
    const server = this.adapterHost.httpAdapter.getHttpServer() as HttpServer;
    // Node and Fastify call it when they close the server.
    server.closeIdleConnections = () => endIdleConnections(server, this.config.SHUTDOWN_IDLE_MS);
    void this.sockets.stop();
    // A connection is closed after its last reply; otherwise it would be kept alive.
    setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref();
    // A client that never finishes its request does not keep the process running.
    setTimeout(() => server.closeAllConnections(), this.config.SHUTDOWN_GRACE_MS).unref();
  }
}
