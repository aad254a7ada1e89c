import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ListeningSockets } from './listening-sockets';

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
  const http = app.getHttpServer();
  sockets.add(http);
  if (process.platform !== 'linux') {
    await app.listen({ host, port, backlog: BACKLOG });
    return;
  }
  await assertFree(host, port);
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => http.emit('connection', socket)),
  );
  for (const one of others) sockets.add(one);
  const shared = { host, reusePort: true, backlog: BACKLOG / SOCKETS };
  await app.listen({ ...shared, port });
  const { port: taken } = http.address() as AddressInfo;
  await Promise.all(others.map((one) => once(one.listen({ ...shared, port: taken }), 'listening')));
}

/** With SO_REUSEPORT, a second process could otherwise take part of the connections without an error. */
async function assertFree(host: string, port: number): Promise<void> {
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
