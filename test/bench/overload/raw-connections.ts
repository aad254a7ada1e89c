import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
/** A caller that has waited for so long gives up. */
const PATIENCE_MS = 40_000;

interface Connection {
  socket: Socket;
  /** What has come of the reply under way. */
  received: Buffer[];
  bytes: number;
  /** Length of that reply, head and body, once its head is here. */
  expected: number;
  status: number;
  settle?: (status: number) => void;
}

/**
 * HTTP connections of a load generator: one request at a time on each, replies are looked at for their status and length
 * alone. The generator shares the machine with what it measures, so it must cost little.
 */
export class RawConnections {
  private readonly free: Connection[] = [];
  private readonly all = new Set<Connection>();

  constructor(private readonly port: number) {}

  /** Sends a request as it is. @returns the reply's status; 0 when none came */
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
