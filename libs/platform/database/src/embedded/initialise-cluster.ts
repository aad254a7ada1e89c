import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresBinaries } from './postgres-binaries';
import type { SystemUser } from './unprivileged-user';

/** Creates the data of a new server, owned by the database user `postgres`. */
export async function initialiseCluster(cluster: {
  binaries: PostgresBinaries;
  data: string;
  password: string;
  user: SystemUser | undefined;
}): Promise<void> {
  const { binaries, data, password, user } = cluster;
  const secrets = await mkdtemp(join(tmpdir(), 'pg-'));
  const passwordFile = join(secrets, 'password');
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) await Promise.all([secrets, passwordFile].map((path) => chown(path, user.uid, user.gid)));
    const initdb = spawn(
      binaries.initdb,
      [
        '-D',
        data,
        '-U',
        'postgres',
        '--auth=scram-sha-256',
        `--pwfile=${passwordFile}`,
        '--encoding=UTF8',
        '--locale=C',
      ],
      // eslint-disable-next-line no-restricted-properties -- passed on, not read: the program needs its PATH and libraries
      { ...user, env: { ...process.env, LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let complaint = '';
    initdb.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    const [code] = (await once(initdb, 'close')) as [number | null];
    if (code !== 0) throw new Error(`initdb failed:\n${complaint.trim()}`);
  } finally {
    await rm(secrets, { recursive: true, force: true });
  }
}
