import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between a client and a server that can simulate network failures. */
export interface TcpProxy {
  port: number;
  /** Stops forwarding on connections whose first bytes match, without closing them. */
  stall(matching?: (hello: Buffer) => boolean): number;
  /** Closes stalled connections. */
  closeStalled(): void;
  /** Closes all connections, and every new one at once: the server is down. */
  down(): void;
  /** Stops forwarding on all connections, and on every new one, without closing them: the server hangs. */
  hang(): void;
  /** Forwards on new connections again; those that hung are closed. */
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
  const stalled = new Set<Socket>();
  let state: 'up' | 'down' | 'hanging' = 'up';
  const listener = createServer((client) => {
    if (state === 'down') return void client.destroy();
    if (state === 'hanging') return void stalled.add(client.on('error', () => undefined).pause());
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
  const stall = (matching: (hello: Buffer) => boolean = () => true) => {
    for (const { hello, client, server } of pairs) {
      if (!matching(hello)) continue;
      client.unpipe(server).pause();
      server.unpipe(client).pause();
      stalled.add(client);
    }
    return stalled.size;
  };
  const closeStalled = () => {
    for (const client of stalled) client.destroy();
    stalled.clear();
  };
  return {
    port: (listener.address() as AddressInfo).port,
    stall,
    closeStalled,
    down() {
      state = 'down';
      for (const { client } of pairs) client.destroy();
    },
    hang() {
      state = 'hanging';
      stall();
    },
    up() {
      state = 'up';
      closeStalled();
    },
    async close() {
      listener.close();
      closeStalled();
      for (const { client } of pairs) client.destroy();
      await once(listener, 'close');
    },
  };
}
