import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SystemUser } from './unprivileged-user';

/** Where root puts what PostgreSQL's user must reach when the project's own folder is closed to others. */
export const SHARED_FOLDER = '/var/lib/customer-account-service';

/** Whether the user PostgreSQL runs as may enter the folder. No user means our own, who is here already. */
export function reachableBy(user: SystemUser | undefined, path: string): boolean {
  if (!user) return true;
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0 && statSync(folder).uid !== user.uid) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** The folder itself, or one of the same name for the same project where PostgreSQL's user can reach it. */
export function reachableFolder(user: SystemUser | undefined, folder: string): string {
  if (reachableBy(user, folder)) return folder;
  return join(SHARED_FOLDER, createHash('sha256').update(folder).digest('hex').slice(0, 16));
}
