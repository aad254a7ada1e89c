import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between a client and a server that can simulate network failures. */
export interface TcpProxy {
  port: number;
  /** Stops forwarding on connections whose first bytes match, without closing them. */
  stall(matching?: (hello: Buffer) => boolean): number;
  /** Closes stalled connections. */
  abandonStalled(): void;
  /** Closes all connections, and every new one at once: the server is down. */
  down(): void;
  /** Accepts connections again. */
  up(): void;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  server: Socket;
  hello: Buffer;
}

/** Starts a proxy in front of a port of this machine. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let away = false;
  const listener = createServer((client) => {
    if (away) return void client.destroy();
    const server = connect(target, '127.0.0.1');
    const pair: Pair = { client, server, hello: Buffer.alloc(0) };
    pairs.add(pair);
    client.once('data', (hello: Buffer) => (pair.hello = hello));
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
        pairs.delete(pair);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const stalled = new Set<Pair>();
  return {
    port: (listener.address() as AddressInfo).port,
    stall(matching = () => true) {
      for (const pair of pairs) {
        if (!matching(pair.hello)) continue;
        pair.client.unpipe(pair.server).pause();
        pair.server.unpipe(pair.client).pause();
        stalled.add(pair);
      }
      return stalled.size;
    },
    abandonStalled() {
      for (const { client } of stalled) client.destroy();
      stalled.clear();
    },
    down() {
      away = true;
      for (const { client } of pairs) client.destroy();
    },
    up() {
      away = false;
    },
    async close() {
      listener.close();
      for (const { client } of pairs) client.destroy();
      await once(listener, 'close');
    },
  };
}
