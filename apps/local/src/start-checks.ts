import { once } from 'node:events';
import { createServer } from 'node:net';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppConfig, loadLocalServices } from '@platform/config';

/** Part of the command line of every launcher. */
const LAUNCHER = join('apps', 'local', 'src', 'main');

/** Port of the worker's metrics: the one after the API's. 0, any port, stays 0. */
export function workerInternalPort({ INTERNAL_PORT, WORKER_INTERNAL_PORT }: AppConfig): number {
  return WORKER_INTERNAL_PORT ?? (INTERNAL_PORT === 0 ? 0 : INTERNAL_PORT + 1);
}

/** Port of the operator API's metrics: the second one after the API's. 0, any port, stays 0. */
export function operatorInternalPort({ INTERNAL_PORT, OPERATOR_INTERNAL_PORT }: AppConfig): number {
  return OPERATOR_INTERNAL_PORT ?? (INTERNAL_PORT === 0 ? 0 : INTERNAL_PORT + 2);
}

/** @throws EADDRINUSE if a port that will be needed is taken, before anything is started */
export async function assertPortsFree(config: AppConfig): Promise<void> {
  for (const [host, port] of [
    [config.HOST, config.PORT],
    [config.INTERNAL_HOST, config.INTERNAL_PORT],
    [config.INTERNAL_HOST, workerInternalPort(config)],
    [config.OPERATOR_HOST, config.OPERATOR_PORT],
    [config.INTERNAL_HOST, operatorInternalPort(config)],
  ] as const) {
    const server = createServer().listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  }
}

/** @throws AlreadyRunningError if another `npm start` of this folder is running: both would use one database */
export function assertNotRunning(): void {
  const pid = Number(loadLocalServices().LAUNCHER_PID ?? 0);
  if (!pid || pid === process.pid) return;
  // The process id of a launcher that was killed may belong to another program now.
  if (commandOf(pid).includes(LAUNCHER)) throw new AlreadyRunningError(pid);
}

/** The command line of a process; empty if the process does not exist. */
function commandOf(pid: number): string {
  if (!existsSync('/proc/self/cmdline')) {
    return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

class AlreadyRunningError extends Error {
  constructor(pid: number) {
    super(`npm start is running in this folder already (process ${pid}); stop it first`);
    this.stack = this.message;
  }
}
