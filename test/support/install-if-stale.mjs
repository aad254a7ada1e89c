// Installs the packages of a folder that has a lock file of its own, unless they are installed as it says. Several may ask at once: one
// installs, the others wait.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** After that an installation that has not ended was killed. */
const LONGEST_MS = 600_000;

const [folder = '.'] = process.argv.slice(2);
// npm writes it when it has installed everything.
const installed = join(folder, 'node_modules', '.package-lock.json');
const lock = join(folder, 'package-lock.json');
const isStale = () => !existsSync(installed) || statSync(lock).mtimeMs > statSync(installed).mtimeMs;

/** A folder is made by one process only. Beside node_modules: npm removes that. */
const busy = join(folder, '.installing');
const owner = join(busy, 'pid');

/** Whether the process that installs was killed: by Ctrl-C in a first start, say. */
function isAbandoned() {
  const since = statSync(busy, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - since > LONGEST_MS) return true;
  try {
    process.kill(Number(readFileSync(owner, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

async function begin() {
  for (;;) {
    try {
      mkdirSync(busy);
      writeFileSync(owner, String(process.pid));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isAbandoned()) rmSync(busy, { recursive: true, force: true });
      await wait(500);
    }
  }
}

if (isStale()) {
  await begin();
  if (isStale()) {
    process.stderr.write(`Installing the packages of ${folder}…\n`);
    const { status } = spawnSync('npm ci', { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], shell: true });
    process.exitCode = status ?? 1;
  }
  rmSync(busy, { recursive: true, force: true });
}
