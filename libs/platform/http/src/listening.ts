import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppConfig } from '@platform/config';
import { endIdleConnections, type GatedServer } from './connections';

/** Number of listening sockets: Node accepts one connection per socket and turn of the event loop. */
const SOCKETS = 16;
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
  const http: GatedServer = app.getHttpServer();
  sockets.add(http);
  if (process.platform !== 'linux') {
    await app.listen({ host, port, backlog: BACKLOG });
    return;
  }
  await assertFree(host, port);
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true, blockList: http.blockList }, (socket) =>
      sockets.begin(() => {
        http.emit('connection', socket);
        socket.resume();
      }),
    ),
  );
  for (const one of others) sockets.add(one);
  const shared = { host, reusePort: true, backlog: BACKLOG / SOCKETS };
  await app.listen({ ...shared, port });
  const { port: taken } = http.address() as AddressInfo;
  await Promise.all(others.map((one) => once(one.listen({ ...shared, port: taken }), 'listening')));
}

/**
 * With SO_REUSEPORT, a second process could otherwise take part of the connections without an error. A socket that listens to find out
 * would lose the requests of a proxy that tries the port of a replica all the time.
 */
async function assertFree(host: string, port: number): Promise<void> {
  const probe = connect({ host, port });
  const isTaken = await once(probe, 'connect').then(
    () => true,
    () => false,
  );
  probe.destroy();
  if (!isTaken) return;
  const message = `listen EADDRINUSE: address already in use ${host}:${port}`;
  throw Object.assign(new Error(message), { code: 'EADDRINUSE', syscall: 'listen', address: host, port });
}

/** A turn of the event loop in which so little was done, in milliseconds, that nobody has connected since it looked for connections. */
const SHORT_TURN_MS = 0.3;
/** Callers that wait for those who are accepted meanwhile send nothing more: after so long without a connection there are none. */
const QUIET_MS = 5;
/** Under a flood that does not wait no turn is short, and the queues are never empty. */
const MOST_ACCEPTING_MS = 500;
/** As much of a turn counts towards that: of a longer one the process was held up for most, while callers connected. */
const COUNTED_OF_A_TURN_MS = 20;

/** The listening sockets of the HTTP server. They stop together, and once. */
@Injectable()
export class ListeningSockets {
  private readonly sockets: { server: Server; close: Server['close'] }[] = [];
  /** Connections that were accepted while the sockets stop. */
  private held?: (() => void)[] | undefined;
  private refusing?: Promise<void>;
  private ended?: Promise<unknown>;

  /** Takes over closing a server: Fastify closes it with the application, and it may have been stopped before. */
  add(server: Server): void {
    this.sockets.push({ server, close: server.close.bind(server) });
    server.close = (done) => {
      void this.stop().then(() => done?.());
      return server;
    };
  }

  /** Begins with a connection that was accepted: at once, or when the sockets have stopped. */
  begin(start: () => void): void {
    if (this.held) this.held.push(start);
    else start();
  }

  /** Stops as {@link refuse} does. @returns when all connections have ended */
  async stop(): Promise<void> {
    await this.refuse();
    await this.ended;
  }

  /**
   * Accepts no more connections: a caller, such as a proxy, is refused before it has sent anything, and tries another
   * replica. Connections that wait to be accepted are accepted first, as their callers believe to be connected.
   * @returns when nobody can connect any more
   */
  refuse(): Promise<void> {
    this.refusing ??= this.acceptAndClose();
    return this.refusing;
  }

  /**
   * Whoever connects to a socket between the look at its queue and its end gets a reset, and does not know what became of its request.
   * So each ends in a short turn of its own, as all of them take milliseconds to end; turns are short as those who are accepted
   * meanwhile have to wait.
   */
  private async acceptAndClose(): Promise<void> {
    this.held = [];
    const closed: Promise<unknown>[] = [];
    let now = performance.now();
    let [last, spentMs] = [now, 0];
    const accepted = () => (last = performance.now());
    for (const { server } of this.sockets) server.on('connection', accepted);
    for (const { close } of this.sockets) {
      // One connection of each queue is accepted in a turn: while some are, others may wait behind them.
      const quietMs = closed.length === 0 ? QUIET_MS : SHORT_TURN_MS;
      for (let turnMs = Infinity; turnMs > SHORT_TURN_MS || now - last < quietMs; now += turnMs) {
        if (spentMs > MOST_ACCEPTING_MS) break;
        await nextTurn();
        turnMs = performance.now() - now;
        spentMs += Math.min(turnMs, COUNTED_OF_A_TURN_MS);
      }
      // One that never listened reports an error, and has ended.
      closed.push(new Promise((resolve) => close(resolve)));
    }
    for (const { server } of this.sockets) server.off('connection', accepted);
    this.ended = Promise.all(closed);
    const starts = this.held;
    this.held = undefined;
    for (const start of starts) start();
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
export class Draining implements OnModuleDestroy, OnApplicationShutdown {
  active = false;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly config: AppConfig,
    private readonly adapterHost: HttpAdapterHost,
    private readonly sockets: ListeningSockets,
  ) {}

  onModuleDestroy(): void {
    const server = this.adapterHost.httpAdapter.getHttpServer() as HttpServer;
    // Node and Fastify call it when they close the server.
    server.closeIdleConnections = () => endIdleConnections(server, this.config.SHUTDOWN_IDLE_MS);
    // Before that, a reply that ends its connection would make its caller open another one here.
    void this.sockets.refuse().then(() => (this.active = true));
    // A connection is closed after its last reply; otherwise it would be kept alive.
    this.timers.push(setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref());
    // A client that never finishes its request does not keep the process running.
    this.timers.push(setTimeout(() => server.closeAllConnections(), this.config.SHUTDOWN_GRACE_MS).unref());
  }

  /** The server is closed. */
  onApplicationShutdown(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }
}
