import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
        encoding: 'utf8',
        // Not a socket: bash would take itself for a remote shell, and read files of this machine.
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env.PATH, LC_ALL: 'C', BACKUP_DIRECTORY: kept, BACKUP_COPY: `cp -r {} '${copies}'` },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(readdirSync(copies)).toEqual(readdirSync(kept));
      expect(existsSync(join(copies, ...readdirSync(kept), 'account.dump'))).toBe(true);
    },
  );
});
