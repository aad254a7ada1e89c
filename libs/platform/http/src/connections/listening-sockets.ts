import { Injectable } from '@nestjs/common';
import type { Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

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
