import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Not a socket, with which bash would take itself for a remote shell, and read files of this machine. */
const NO_INPUT = { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' } as const satisfies SpawnSyncOptions;

/** The daily backup, without a container engine: the database is empty, and there are no secrets. */
const BACKUP = `
set -euo pipefail
docker() { :; }
for part in common backup; do . "apps/operator/stack/$part.sh"; done
in_postgres() { :; }
secrets_sh() { echo key; }
stack_backup`;

describe('the copy of a backup', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'backup-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['backups', 'sikkerhetskopier på disk', 'a & b', "it's", String.raw`$HOME\1`])(
    'is of its folder, whatever that is called, in the language that cron has: %s',
    (name) => {
      const [kept, copies] = [join(folder, name), join(folder, 'copies')];
      for (const path of [kept, copies]) mkdirSync(path);
      const { status, stderr } = spawnSync('bash', ['-c', BACKUP], {
        ...NO_INPUT,
        env: { PATH: process.env.PATH, LC_ALL: 'C', BACKUP_DIRECTORY: kept, BACKUP_COPY: `cp -r {} '${copies}'` },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(readdirSync(copies)).toEqual(readdirSync(kept));
      expect(existsSync(join(copies, ...readdirSync(kept), 'account.dump'))).toBe(true);
    },
  );
});

describe('a backup whose rows cannot be counted', () => {
  it('is complete and stays, without their number', () => {
    const folder = mkdtempSync(join(tmpdir(), 'backup-'));
    const UNCOUNTED = BACKUP.replace('in_postgres() { :; }', 'in_postgres() { [[ $* != *query_to_xml* ]]; }');
    const env = { PATH: process.env.PATH, BACKUP_DIRECTORY: folder };
    const { status, stdout } = spawnSync('bash', ['-c', UNCOUNTED], { ...NO_INPUT, env });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('rows could not be counted') });
    expect(readdirSync(join(folder, ...readdirSync(folder))).sort()).toEqual([
      ...['SHA256SUMS', 'account.dump', 'former-secrets-key', 'secrets-key'],
    ]);
    rmSync(folder, { recursive: true });
  });
});

describe('the backups of former days', () => {
  const name = (days: number) =>
    `account-${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

  it.each([
    ['are removed when they are too old', [16, 15, 13, 1], [13, 1]],
    ['are removed where a job makes one every week', [29, 22, 15, 8], [8]],
    ['stay by a clock that is ahead, or after a time without backups', [32, 31, 30], [32, 31, 30]],
    ['are removed as ever beside one that a clock made which was ahead', [16, 15, 1, -30], [1, -30]],
    ['stay where there is but one, which is not of the last days', [30], [30]],
  ])('%s: of %j', (_, before, after) => {
    const folder = mkdtempSync(join(tmpdir(), 'backups-'));
    const names = before.map(name);
    for (const one of names) mkdirSync(join(folder, one));
    const env = { PATH: process.env.PATH, BACKUP_DIRECTORY: folder };
    const { status, stderr } = spawnSync('bash', ['-c', BACKUP], { ...NO_INPUT, env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const left = names.filter((one) => existsSync(join(folder, one)));
    expect(left).toEqual(after.map((days) => names[before.indexOf(days)]));
    expect(readdirSync(folder)).toHaveLength(after.length + 1);
    rmSync(folder, { recursive: true });
  });
});

describe('a backup of a cluster', () => {
  it('says that it is of one moment only if nothing is written meanwhile', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
    const ON_CLUSTER = BACKUP.replace(
      'docker() { :; }',
      "docker() { [[ $* != *'config --services' ]] || echo cluster; }",
    );
    const env = { PATH: process.env.PATH, BACKUP_DIRECTORY: folder };
    const { status, stderr } = spawnSync('bash', ['-c', ON_CLUSTER], { ...NO_INPUT, env });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/^Warning: a dump of a cluster .*\n$/),
    });
    rmSync(folder, { recursive: true });
  });
});

/** The timer of a machine without systemd. */
const CRON = `
set -euo pipefail
docker() { :; }
. "$SCRIPTS/common.sh"
. <(sed "s|/etc/cron.d|$FOLDER/cron.d|g; s|/run/systemd/system|$FOLDER/none|; s|/var/log|$FOLDER|" "$SCRIPTS/backup.sh")
name=backup at=03:15
add_timer`;

describe('the line of cron', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'cron-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['account', '100% disk', 'på disk', "it's & more"])(
    'makes the backup in the folder of the clone, whatever that is called: %s',
    (name) => {
      const clone = join(folder, name);
      for (const path of [join(folder, 'cron.d'), join(clone, 'apps/operator')]) mkdirSync(path, { recursive: true });
      writeFileSync(join(clone, 'apps/operator/stack.sh'), '#!/bin/sh\necho "$*" in "$PWD"\n', { mode: 0o755 });
      const env = { PATH: process.env.PATH, FOLDER: folder, SCRIPTS: resolve('apps/operator/stack') };
      const written = spawnSync('bash', ['-c', CRON], { ...NO_INPUT, cwd: clone, env: { ...env, LC_ALL: 'C' } });
      expect(written).toMatchObject({ status: 0, stderr: '' });
      // By byte: the letters of a word are not always UTF-8 any more.
      const line = readFileSync(join(folder, 'cron.d/backup'), 'latin1').trim().split('\n').at(-1) ?? '';
      // As cron reads it: what follows a percent sign is standard input, unless it has a backslash.
      const [, command = ''] = /^15 3 \* \* \* root ((?:\\%|[^%])*)/.exec(line) ?? [];
      writeFileSync(join(folder, 'command'), command.replaceAll('\\%', '%'), 'latin1');
      const { status } = spawnSync('sh', [join(folder, 'command')], { ...NO_INPUT, env: { LC_ALL: 'C' } });
      expect({ line, status }).toEqual({ line, status: 0 });
      expect(readFileSync(join(folder, 'backup.log'), 'utf8')).toBe(`backup in ${clone}\n`);
    },
  );
});

/** The timer's backup while the machine starts: the engine answers at the third time, and the database at the fifth. */
const AFTER_START = `
set -euo pipefail
docker() { echo '  "name": "simulated",'; }
for part in common backup; do . "apps/operator/stack/$part.sh"; done
running() { echo >>"$FOLDER/asked"; [ "$(wc -l <"$FOLDER/asked")" -ge 3 ] || return 1; echo postgres; }
docker() { [ "$(wc -l <"$FOLDER/asked")" -ge 5 ] || { echo 'the database system is starting up' >&2; return 1; }; }
secrets_sh() { echo key; }
sleep() { :; }
stack_backup`;

describe('the backup that a timer makes', () => {
  it('waits for the database of a machine that has just started, as the timer tries once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'backup-'));
    const env = { PATH: process.env.PATH, FOLDER: folder, BACKUP_DIRECTORY: folder };
    const made = () => readdirSync(folder).filter((name) => name.startsWith('account-'));
    const asOther = spawnSync('bash', ['-c', AFTER_START], { ...NO_INPUT, env: { ...env, OPERATOR_NAME: 'kari' } });
    expect({ status: asOther.status, made: made() }).toEqual({ status: 1, made: [] });
    rmSync(join(folder, 'asked'));
    const { status, stderr } = spawnSync('bash', ['-c', AFTER_START], {
      ...NO_INPUT,
      env: { ...env, OPERATOR_NAME: 'backup' },
    });
    expect({ status, stderr, made: made() }).toEqual({ status: 0, stderr: '', made: [expect.any(String)] });
    rmSync(folder, { recursive: true });
  });

  it('comes behind the engine, where the machine makes up for one when it starts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'timer-'));
    for (const path of ['run', 'units']) mkdirSync(join(folder, path));
    const TIMER = CRON.replace(
      's|/etc/cron.d|',
      's|/run/systemd/system|$FOLDER/run|; s|/etc/systemd/system|$FOLDER/units|; s|/etc/cron.d|',
    );
    const env = { PATH: process.env.PATH, FOLDER: folder, SCRIPTS: resolve('apps/operator/stack'), HOME: '/home/50%' };
    expect(spawnSync('bash', ['-c', `systemctl() { :; }${TIMER}`], { ...NO_INPUT, env })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(readFileSync(join(folder, 'units/backup.timer'), 'utf8')).toContain('\nPersistent=true\n');
    expect(readFileSync(join(folder, 'units/backup.service'), 'utf8')).toContain('\nAfter=docker.service\n');
    // The programs of BACKUP_COPY have their configuration there; a percent sign begins a word of systemd's own.
    expect(readFileSync(join(folder, 'units/backup.service'), 'utf8')).toContain('\nEnvironment="HOME=/home/50%%"\n');
    rmSync(folder, { recursive: true });
  });
});
