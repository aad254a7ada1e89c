import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's folder in memory. */
const MEMORY = '/dev/shm';

/** Bytes that must be free there: databases of several specs at once, their write-ahead log, browsers. */
const ROOM = 3 * 1024 ** 3;

/**
 * Makes a folder for files that come and go in great number, which other users may read: in memory, if there is room. Each spec makes and
 * removes a database of four hundred files. A file system without a journal looks for a number that no file had lately, for each of them:
 * that took PostgreSQL longer than all else that specs asked of it.
 */
export async function makeScratchFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join((await hasRoom()) ? MEMORY : tmpdir(), `customer-account-service-${name}-`));
  await chmod(folder, 0o755);
  return folder;
}

async function hasRoom(): Promise<boolean> {
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return Math.min(free, freemem()) > ROOM;
}
