import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AppConfig } from '@platform/config';

/** Port of the worker's metrics: the one after the API's. 0, any port, stays 0. */
export function workerInternalPort({ INTERNAL_PORT, WORKER_INTERNAL_PORT }: AppConfig): number {
  return WORKER_INTERNAL_PORT ?? (INTERNAL_PORT === 0 ? 0 : INTERNAL_PORT + 1);
}

/** @throws EADDRINUSE if a port that will be needed is taken, before anything is started */
export async function assertPortsFree(config: AppConfig): Promise<void> {
  for (const [host, port] of [
    [config.HOST, config.PORT],
    [config.INTERNAL_HOST, config.INTERNAL_PORT],
    [config.INTERNAL_HOST, workerInternalPort(config)],
  ] as const) {
    const server = createServer().listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  }
}
