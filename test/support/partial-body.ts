import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request whose body is incomplete: the client holds the rest back. */
export interface PartialBody {
  socket: Socket;
  /** Sends the rest. @returns the reply as text */
  finish(): Promise<string>;
  /** Disconnects. */
  hangUp(): void;
}

/** Sends a POST's headers and its JSON except for the last byte. `token`: a service token; undefined for a caller with other headers. */
export async function sendPartialBody(
  url: string,
  token: string | undefined,
  json: string,
  headers: string[] = [],
): Promise<PartialBody> {
  const { hostname, port, pathname, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const body = Buffer.from(json);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body.subarray(0, -1));
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => undefined);
  return {
    socket,
    finish: async () => {
      socket.write(body.subarray(-1));
      await once(socket, 'close');
      return Buffer.concat(received).toString();
    },
    hangUp: () => socket.destroy(),
  };
}
