import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AppConfig } from '@platform/config';

/** @throws EADDRINUSE if a port that will be needed is taken, before anything is started */
export async function assertPortsFree(config: AppConfig): Promise<void> {
  for (const [host, port] of [
    [config.HOST, config.PORT],
    [config.INTERNAL_HOST, config.INTERNAL_PORT],
  ] as const) {
    const server = createServer().listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  }
}
