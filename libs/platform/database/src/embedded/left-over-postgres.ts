import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 50;
const PATIENCE_MS = 15_000;

/** Stops a server that still runs on the data because the process that started it was killed. */
export async function stopLeftOver(data: string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : 0;
  if (!pid || !isPostgres(pid) || !signal(pid, 'SIGINT')) return;
  for (let waited = 0; signal(pid, 0); waited += POLL_MS) {
    if (waited > PATIENCE_MS)
      throw new Error(`PostgreSQL (process ${pid}) still runs on ${data}; stop it and start again`);
    // The process is not our child, so there is no event of its end.
    await wait(POLL_MS);
  }
}

/** After a reboot the process id may belong to another program. */
function isPostgres(pid: number): boolean {
  const command = `/proc/${pid}/comm`;
  return (
    !existsSync('/proc/self/comm') || (existsSync(command) && readFileSync(command, 'utf8').startsWith('postgres'))
  );
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
