import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** Handles a connection after the head of a request. */
export type Answer = (socket: Socket, request: string) => void;

/** A server below HTTP, for replies that no HTTP library would send. */
export interface RawServer {
  port: number;
  /** `http://127.0.0.1:port`, or `https://`. */
  url: string;
  /** Received requests, heads and bodies as far as they arrived together. */
  requests: string[];
  /** Open connections. */
  open: number;
  /** Sets the reply. */
  answer(answer: Answer): void;
  /** Sets what happens to connections before anything is read. */
  connect(greet: (socket: Socket) => void): void;
  close(): Promise<void>;
}

/** Starts a server on this machine; with a key and a certificate it uses TLS. */
export async function startRawServer(tls?: { key: string; cert: string }): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let answer: Answer = (socket) => socket.end();
  let greet: (socket: Socket) => void = () => undefined;
  const take = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    greet(socket);
    socket.on('data', (data: Buffer) => {
      const text = data.toString('latin1');
      // A body may arrive in separate chunks.
      if (!/^[A-Z]+ \//.test(text)) return;
      requests.push(text);
      answer(socket, text);
    });
  };
  const server = tls ? createTlsServer(tls, take) : createTcpServer(take);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    get open() {
      return sockets.size;
    },
    answer: (next) => (answer = next),
    connect: (next) => (greet = next),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A complete reply as bytes. */
export function rawReply(status: number | string, body = '', headers: Record<string, string> = {}): string {
  const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}${typeof status === 'number' ? ' X' : ''}\r\n${lines.join('')}\r\n${body}`;
}
