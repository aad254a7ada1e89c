// Installs the packages of a folder that has a lock file of its own, unless they are installed as it says.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '.'] = process.argv.slice(2);
// npm writes it when it has installed everything.
const installed = join(folder, 'node_modules', '.package-lock.json');
const lock = join(folder, 'package-lock.json');
if (!existsSync(installed) || statSync(lock).mtimeMs > statSync(installed).mtimeMs) {
  process.stderr.write(`Installing the packages of ${folder}…\n`);
  const { status } = spawnSync('npm ci', { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], shell: true });
  process.exitCode = status ?? 1;
}
