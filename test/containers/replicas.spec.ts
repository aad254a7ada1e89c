import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** `up` with a changed setting of the API, without a container engine: replicas are lines of a file. */
const UP = `
set -euo pipefail
docker() { case $1 in stop | rm) sed -i "/^$2$/d" replicas ;; esac; }
for part in common images proxy replicas commands detour backup rotate; do . "$STACK/$part.sh"; done
running() { case $1 in api) cat replicas ;; postgres | valkey) echo "$1" ;; esac; }
containers() { running "$1"; }
make_containers() { echo "new-$(wc -l <replicas)" >>replicas; }
remove_replicas() { for one in "$@"; do sed -i "/^$one$/d" replicas; done; }
outdated() { [ "$1" = api ]; }
wait_until_ready() { :; }
secret() { :; }
put() { cat >/dev/null; }
for nothing in check_secrets remove_disabled secrets_sh remove_ended proxies end_commands missing end_detour examine; do eval "$nothing() { :; }"; done
stack_up`;

describe('the number of replicas after stack.sh up', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'replicas-'));
    writeFileSync(join(folder, 'replicas'), 'old-1\nold-2\n');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  function up(line: string) {
    writeFileSync(join(folder, '.env'), `PORT=4000\n${line}\n`);
    const env = { ...process.env, STACK: resolve('apps/operator/stack') };
    const { status, stderr } = spawnSync('bash', ['-c', UP], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    const replicas = readFileSync(join(folder, 'replicas'), 'utf8').trim().split('\n');
    return { status, stderr, replicas };
  }

  it.each([
    ['API_REPLICAS=3', 3],
    ['API_REPLICAS=3 # for the summer', 3],
    ['API_REPLICAS=3 \t', 3],
    ['API_REPLICAS=3\r', 3],
    ['API_REPLICAS="1" # one', 1],
    ["export API_REPLICAS='4'", 4],
    ['# API_REPLICAS=7', 2],
  ])('is that of .env, as compose reads it, or the present one: %j', (line, count) => {
    const { status, stderr, replicas } = up(line);
    expect({ status, stderr, count: replicas.length }).toEqual({ status: 0, stderr: '', count });
    expect(replicas.filter((one) => one.startsWith('old'))).toEqual([]);
  });

  it.each(['API_REPLICAS=0', 'API_REPLICAS=two', 'API_REPLICAS=${NUMBER}'])(
    'stays where .env has no number of them: %s',
    (line) => {
      const { status, stderr, replicas } = up(line);
      expect({ status, replicas }).toEqual({ status: 1, replicas: ['old-1', 'old-2'] });
      expect(stderr).toContain('Nothing has been changed');
    },
  );
});

describe('a restart', () => {
  /** The worker's, while the engine does what `FAILS` begins with in vain. */
  const RESTART = `
set -euo pipefail
docker() { :; }
for part in common commands; do . "$STACK/$part.sh"; done
dc() { [[ $* != "$FAILS"* ]]; }
stack_restart worker`;

  it.each([
    ['nothing', 0],
    ['restart', 1],
    ['up', 1],
  ])('is not said to be done where it failed: %s', (FAILS, status) => {
    const env = { ...process.env, STACK: resolve('apps/operator/stack'), FAILS };
    const said = spawnSync('bash', ['-c', RESTART], { env, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
    expect(said).toMatchObject({ status, stdout: status === 0 ? 'worker: restarted\n' : '', stderr: '' });
  });
});

describe('a replica that is stopped', () => {
  const STOP = `
set -euo pipefail
docker() { command docker "$@"; }
for part in common replicas; do . "$STACK/$part.sh"; done
remove_replicas one`;

  it.each([
    ['', '720'],
    ['SHUTDOWN_GRACE_MS=8000', '720'],
    ['SHUTDOWN_GRACE_MS=1240000 # twenty minutes', '1340'],
  ])('has the time that its requests may take: %j', (line, seconds) => {
    const folder = mkdtempSync(join(tmpdir(), 'replicas-'));
    writeFileSync(join(folder, '.env'), `${line}\n`);
    writeFileSync(join(folder, 'docker'), `#!/bin/bash\necho "$*" >>'${folder}/asked'\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, STACK: resolve('apps/operator/stack') };
    spawnSync('bash', ['-c', STOP], { cwd: folder, env, stdio: 'ignore' });
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain(`stop --time ${seconds} one\n`);
    rmSync(folder, { recursive: true });
  });
});
