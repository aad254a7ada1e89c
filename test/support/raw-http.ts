import { once } from 'node:events';
import { connect } from 'node:net';

/** A reply to a request that was sent as bytes. */
export interface RawReply {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Sends bytes that no HTTP client would send, and reads the reply until it is complete or the server closes the
 * connection: send `connection: close`. @returns undefined if the server closed without a reply
 */
export async function rawHttp(origin: string, ...chunks: (string | Buffer)[]): Promise<RawReply | undefined> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    // A server may go on reading a request that it refused; a complete reply is enough.
    if (isComplete(Buffer.concat(received).toString('latin1'))) socket.destroy();
  });
  // The server may close without reading the rest.
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  for (const chunk of chunks) socket.write(chunk);
  await closed;
  return parseReply(Buffer.concat(received).toString('latin1'));
}

function isComplete(text: string): boolean {
  const reply = parseReply(text);
  const length = reply?.headers.get('content-length');
  return reply !== undefined && length !== undefined && length !== null && reply.body.length >= Number(length);
}

function parseReply(text: string): RawReply | undefined {
  // A 100 Continue may come first.
  const final = text.replace(/^HTTP\/1\.1 1\d\d [^]*?\r\n\r\n/, '');
  const [head = '', ...rest] = final.split('\r\n\r\n');
  const [start = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1]);
  if (!status) return undefined;
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status, headers, body: rest.join('\r\n\r\n') };
}
