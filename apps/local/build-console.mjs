// Builds the operator's console into dist/apps/operator-console, unless it is built from the sources that there are. Its packages are
// its own: they are installed first, if they are not there.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync, utimesSync, writeFileSync } from 'node:fs';

const FOLDER = 'apps/operator-console';
const STAMP = 'dist/apps/operator-console/.built';

const sources = [`${FOLDER}/package-lock.json`, 'apps/operator-api/openapi.json'].concat(
  globSync(`${FOLDER}/{src,public}/**`, { exclude: (path) => path.endsWith('schema.d.ts') }),
  globSync(`${FOLDER}/*.{html,ts,json}`),
);
const isStale = () =>
  !existsSync(STAMP) || sources.some((path) => existsSync(path) && statSync(path).mtimeMs > statSync(STAMP).mtimeMs);

function run(command, cwd) {
  const { status } = spawnSync(command, {
    cwd,
    stdio: ['ignore', process.argv.includes('--quiet') ? 'ignore' : 2, 2],
    shell: true,
  });
  if (status !== 0) process.exit(status ?? 1);
}

if (isStale()) {
  const begun = new Date();
  run(`node test/support/install-if-stale.mjs ${FOLDER}`);
  run('npm run -s build', FOLDER);
  writeFileSync(STAMP, '');
  // A source that was saved meanwhile may not be in it.
  utimesSync(STAMP, begun, begun);
}
