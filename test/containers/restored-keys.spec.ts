import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The step of a restore that puts the keys back, with folders in the place of the volumes. */
const USE_KEY = `
set -euo pipefail
docker() { :; }
for part in common backup rotate restore; do . "apps/operator/stack/$part.sh"; done
secrets_sh() { (cd "$FOLDER/secrets" && bash -euc "$1"); }
folder=$BACKUP key=$FOLDER/given-key given=
use_key`;

describe('the keys of a restore', () => {
  let folder: string;
  const PROGRAMS = ['owner', 'api', 'operator'];
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const keys = () =>
    PROGRAMS.map((who) => [read(`secrets/${who}/secrets-key`), read(`secrets/${who}/former-secrets-key`)]);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'restored-keys-'));
    for (const who of PROGRAMS) {
      mkdirSync(join(folder, 'secrets', who), { recursive: true });
      write(`secrets/${who}/secrets-key`, 'present');
      write(`secrets/${who}/former-secrets-key`, 'before');
    }
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const restore = (key: string, backup = '') => {
    write('given-key', key);
    const env = { ...process.env, FOLDER: folder, BACKUP: backup };
    const { status, stdout, stderr } = spawnSync('bash', ['-c', USE_KEY], { env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };

  it('are those that were given, and those that they replace are kept for another moment', () => {
    expect(restore('older')).toContain('cat /secrets/owner/replaced-secrets-keys');
    expect(keys()).toEqual(PROGRAMS.map(() => ['older', '']));
    expect(read('secrets/owner/replaced-secrets-keys')).toBe('present\nbefore\n');
    restore('oldest');
    restore('older');
    expect(read('secrets/owner/replaced-secrets-keys')).toBe('present\nbefore\nolder\noldest\n');
  });

  it('are those of a backup, of which none is replaced', () => {
    mkdirSync(join(folder, 'backup'));
    write('backup/former-secrets-key', 'before');
    expect(restore('present', join(folder, 'backup'))).toBe('');
    expect(keys()).toEqual(PROGRAMS.map(() => ['present', 'before']));
  });
});
