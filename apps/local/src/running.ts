import { loadLocalServices } from '@app/config';

/** @throws when another `npm start` of this folder is running: both would use one database. */
export function assertNotRunning(): void {
  const pid = Number(loadLocalServices().LAUNCHER_PID ?? 0);
  if (!pid || pid === process.pid) return;
  try {
    process.kill(pid, 0);
  } catch {
    return;
  }
  throw new AlreadyRunningError(pid);
}

/** Another `npm start` of this folder is running. */
export class AlreadyRunningError extends Error {
  constructor(pid: number) {
    super(`npm start is running in this folder already (process ${pid}); stop it first`);
    this.stack = this.message;
  }
}
