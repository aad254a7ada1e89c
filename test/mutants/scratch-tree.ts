import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * A copy of the files of a checkout, by default of this one, for mutants. Always at the same place, so that jest's cache can
 * be reused.
 */
export function makeScratchTree(place: number | string, checkout = process.cwd()): string {
  const root = join(tmpdir(), `customer-account-service-mutants-${place}`);
  rmSync(root, { recursive: true, force: true });
  for (const file of projectFiles(checkout)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(checkout, file), join(root, file));
  }
  const dist = join(checkout, 'dist');
  cpSync(dist, join(root, 'dist'), { recursive: true, filter: (path) => path !== join(dist, 'bench') });
  for (const folder of ['', 'test/support/conformance'])
    symlinkSync(join(checkout, folder, 'node_modules'), join(root, folder, 'node_modules'));
  return root;
}

/** Tracked files, and new ones that are not ignored. */
function projectFiles(cwd: string): string[] {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
    cwd,
    encoding: 'utf8',
  });
  const gone = spawnSync('git', ['ls-files', '-z', '--deleted'], { cwd, encoding: 'utf8' });
  if (listed.status !== 0 || gone.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}${gone.stderr}`);
  const deleted = new Set(gone.stdout.split('\0'));
  return listed.stdout.split('\0').filter((file) => file !== '' && !deleted.has(file));
}
