// Compiles the project if a source is newer than the last build. Otherwise a start costs nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync, writeFileSync } from 'node:fs';

const STAMP = 'dist/.built';
const sources = ['package.json', 'package-lock.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'].concat(
  // Folders too: deleting a file changes its folder's time.
  globSync('{apps,libs}/**'),
);
const built = existsSync(STAMP) ? statSync(STAMP).mtimeMs : 0;
const startedAt = new Date();
if (sources.some((path) => statSync(path).mtimeMs > built)) {
  process.stderr.write('Compiling…\n');
  const { status } = spawnSync('nest build', { stdio: ['ignore', 'inherit', 'inherit'], shell: true });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, startedAt.toISOString());
}
