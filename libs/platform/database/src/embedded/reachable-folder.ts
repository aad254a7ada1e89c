import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SystemUser } from './unprivileged-user';

/** Folder for what PostgreSQL's user must access if the project's own folder is closed to other users. */
export const SHARED_FOLDER = '/var/lib/customer-account-service';

/** Whether the user that PostgreSQL runs as can access the folder. Undefined means the current user, who can. */
export function reachableBy(user: SystemUser | undefined, path: string): boolean {
  if (!user) return true;
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0 && statSync(folder).uid !== user.uid) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** The folder itself, or one with the same name for the same project that PostgreSQL's user can access. */
export function reachableFolder(user: SystemUser | undefined, folder: string): string {
  if (reachableBy(user, folder)) return folder;
  return join(SHARED_FOLDER, createHash('sha256').update(folder).digest('hex').slice(0, 16));
}
