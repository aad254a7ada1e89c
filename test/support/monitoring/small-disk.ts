import { execFileSync } from 'node:child_process';
import {
  chownSync,
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

const MEGABYTES = 96;

/** A database whose tables are on a small disk of their own. */
export interface SmallDisk {
  /** Address of the database. */
  url: string;
  /** Fills the disk, so that PostgreSQL cannot store another page (53100). */
  fill(): void;
  /** Makes room again. */
  clear(): void;
  remove(): Promise<void>;
}

/**
 * Copies the template of tests to a file system of its own in memory, which only root can mount: undefined for other users.
 * The write-ahead log stays elsewhere: without room for it PostgreSQL would end.
 */
export async function createSmallDisk(serverUrl: string, template: string): Promise<SmallDisk | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const name = `small_disk_${process.pid}`;
  const ballast = join(folder, 'ballast');
  const admin = new Client({ connectionString: serverUrl });
  admin.on('error', () => undefined);
  await admin.connect();
  const { rows } = await admin.query<{ path: string }>(`select current_setting('data_directory') as path`);
  const { uid, gid } = statSync(rows[0]?.path ?? '');
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  await admin.query(`create tablespace ${name} location '${folder}'`);
  await admin.query(`create database ${name} template ${template} tablespace ${name}`);
  await admin.query(`revoke temporary on database ${name} from public`);
  return {
    url: Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href,
    fill() {
      const file = openSync(ballast, 'a');
      const block = Buffer.alloc(4096);
      try {
        while (writeSync(file, block) === block.length);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    clear: () => truncateSync(ballast),
    async remove() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.query(`drop tablespace ${name}`);
      await admin.end();
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
