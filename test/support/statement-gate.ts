import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Where a connection to PostgreSQL is held up. */
export interface HoldPoint {
  /** Texts that the client sends on one connection, in this order: names of prepared statements, or `commit`. */
  sent: readonly string[];
  /** Holds up the reply to the last of them instead of the statement itself. */
  reply?: boolean;
}

/** A proxy in front of PostgreSQL that holds connections up at given statements, for a process to be killed there. */
export interface StatementGate {
  port: number;
  /** Holds up the next connection that comes to the point. @returns resolves when one has */
  holdAt(point: HoldPoint): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  point: HoldPoint;
  /** How many of the point's texts each connection has sent. */
  progress: WeakMap<Socket, number>;
  held: () => void;
}

/** Starts the proxy. @param target the port of PostgreSQL on this machine */
export async function startStatementGate(target: number): Promise<StatementGate> {
  const waiting = new Set<Waiting>();
  const sockets = new Set<Socket>();

  /** The point that the client has come to with this chunk. */
  const arrivedAt = (client: Socket, chunk: string): Waiting | undefined => {
    for (const one of waiting) {
      const { sent } = one.point;
      let done = one.progress.get(client) ?? 0;
      for (let from = 0; done < sent.length; done++) {
        const at = chunk.indexOf(sent[done] as string, from);
        if (at < 0) break;
        from = at + 1;
      }
      one.progress.set(client, done);
      if (done === sent.length) return one;
    }
    return undefined;
  };

  const listener = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    server.pipe(client);
    client.on('data', (chunk: Buffer) => {
      const arrived = arrivedAt(client, chunk.toString('latin1'));
      if (arrived && !arrived.point.reply) client.pause();
      else server.write(chunk);
      if (!arrived) return;
      waiting.delete(arrived);
      if (arrived.point.reply) server.unpipe(client).once('data', arrived.held).resume();
      else arrived.held();
    });
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    holdAt: (point) => new Promise((held) => waiting.add({ point, progress: new WeakMap(), held })),
    close: async () => {
      listener.close();
      for (const socket of sockets) socket.destroy();
      await once(listener, 'close');
    },
  };
}
