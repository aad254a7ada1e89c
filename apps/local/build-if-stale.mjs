// Compiles the project if a source is newer than the last build. Otherwise a start costs nothing. With --unchecked, for
// commands that only run it, a first build does not check types.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

const { existsSync, readFileSync, statSync, utimesSync, writeFileSync } = fs;

// npm installs Node for the systems that package.json lists, and goes on without it on others. An old one lacks functions of
// `fs`, which therefore are not imported by name.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 16)) {
  process.stderr.write(
    `This needs Node 24.16, and found ${process.version}. npm ci installs it on most systems; on this one it did not.\n`,
  );
  process.exit(1);
}

const STAMP = 'dist/.built';
const UNCHECKED = 'unchecked';

const sources = ['package.json', 'package-lock.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'].concat(
  // Folders too: deleting a file changes its folder's time.
  fs.globSync('{apps,libs}/**', { exclude: (path) => /(^|\/)operator-console(\/|$)/.test(path) }),
);
const mayBeUnchecked = process.argv.includes('--unchecked');
const isBuilt = existsSync(STAMP);
const isStale = !isBuilt || sources.some((path) => statSync(path).mtimeMs > statSync(STAMP).mtimeMs);
if (isStale || (!mayBeUnchecked && readFileSync(STAMP, 'utf8') === UNCHECKED)) {
  process.stderr.write('Compiling…\n');
  const begun = new Date();
  // Not over files that tsc remembers as its own: it would not write them again.
  const isUnchecked = mayBeUnchecked && !isBuilt && !existsSync('dist/.tsbuildinfo');
  if (isUnchecked) {
    const { buildUnchecked } = await import('./unchecked-build.mjs');
    await buildUnchecked('dist');
  } else {
    const { status } = spawnSync('nest build', { stdio: ['ignore', 'inherit', 'inherit'], shell: true });
    if (status !== 0) process.exit(status ?? 1);
  }
  writeFileSync(STAMP, isUnchecked ? UNCHECKED : 'checked');
  // A source that was saved meanwhile may not be in it.
  utimesSync(STAMP, begun, begun);
}
