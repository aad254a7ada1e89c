import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

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
 * @throws EADDRINUSE
 */
export async function listen(app: NestFastifyApplication, { host, port }: ListenAddress): Promise<void> {
  if (process.platform !== 'linux') {
    await app.listen({ host, port, backlog: BACKLOG });
    return;
  }
  await assertFree(host, port);
  const http = app.getHttpServer();
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => http.emit('connection', socket)),
  );
  const closed = Promise.withResolvers<void>();
  const server = app.getHttpAdapter().getInstance();
  server.addHook('preClose', (done) => {
    const all = others.map((one) => new Promise((resolve) => one.close(resolve)));
    void Promise.all(all).then(() => closed.resolve());
    done();
  });
  server.addHook('onClose', () => closed.promise);
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
