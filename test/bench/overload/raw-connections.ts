import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
/** Client time-out in milliseconds. */
const PATIENCE_MS = 40_000;

interface Connection {
  socket: Socket;
  /** Received bytes of the reply in progress. */
  received: Buffer[];
  bytes: number;
  /** Length of the reply, head and body, once its head has arrived. */
  expected: number;
  status: number;
  settle?: (status: number) => void;
}

/**
 * HTTP connections of a load generator: one request at a time on each; of replies only the status and length are
 * parsed. The generator shares the machine with the server, so it must be cheap.
 */
export class RawConnections {
  private readonly free: Connection[] = [];
  private readonly all = new Set<Connection>();

  constructor(private readonly port: number) {}

  /** Sends a request in wire format. @returns the reply's status; 0 if there was none */
  send(request: string): Promise<number> {
    const connection = this.free.pop() ?? this.open();
    return new Promise((resolve) => {
      const timer = setTimeout(() => connection.socket.destroy(), PATIENCE_MS);
      connection.settle = (status) => {
        clearTimeout(timer);
        connection.settle = undefined;
        resolve(status);
      };
      connection.socket.write(request);
    });
  }

  close(): void {
    for (const { socket } of this.all) socket.destroy();
  }

  private open(): Connection {
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true });
    const connection: Connection = { socket, received: [], bytes: 0, expected: 0, status: 0 };
    this.all.add(connection);
    socket.on('data', (chunk: Buffer) => this.take(connection, chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.all.delete(connection);
      const index = this.free.indexOf(connection);
      if (index >= 0) this.free.splice(index, 1);
      connection.settle?.(0);
    });
    return connection;
  }

  private take(connection: Connection, chunk: Buffer): void {
    connection.received.push(chunk);
    connection.bytes += chunk.length;
    if (connection.expected === 0) readHead(connection);
    if (connection.expected === 0 || connection.bytes < connection.expected) return;
    const { status } = connection;
    Object.assign(connection, { received: [], bytes: 0, expected: 0, status: 0 });
    this.free.push(connection);
    connection.settle?.(status);
  }
}

function readHead(connection: Connection): void {
  const text = Buffer.concat(connection.received).toString('latin1');
  const end = text.indexOf(HEAD_END);
  if (end < 0) return;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(text) ?? [];
  if (length === undefined) throw new Error(`A reply without a length:\n${text.slice(0, end)}`);
  connection.expected = end + HEAD_END.length + Number(length);
  connection.status = Number(text.slice(9, 12));
}
