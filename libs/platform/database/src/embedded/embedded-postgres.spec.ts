import { createHash, randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@test/free-port';
import { until } from '@test/until';
import { startEmbeddedPostgres } from './embedded-postgres';

describe('The embedded PostgreSQL', () => {
  it('starts, however much it writes to its log before it is ready, as when it recovers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'customer-account-service-test-'));
    await chmod(folder, 0o755);
    const settings = { fsync: 'off', log_min_messages: 'debug5', log_line_prefix: `${'x'.repeat(20_000)} ` };
    const password = randomBytes(12).toString('hex');
    const server = await startEmbeddedPostgres({ folder, port: await freePort(), password, settings });
    await server.stop();
    // The file that initdb read it from is gone.
    const others = (await readdir(tmpdir())).filter((name) => name.startsWith('pg-'));
    const left = others.map((name) => readFile(join(tmpdir(), name, 'password'), 'utf8').catch(() => ''));
    expect(await Promise.all(left)).not.toContain(password);
    await rm(folder, { recursive: true });
  });

  it('creates the folders above its data, which its user can pass through', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'customer-account-service-test-'));
    await chmod(folder, 0o755);
    const below = join(folder, 'a', 'b');
    const settings = { fsync: 'off' };
    const server = await startEmbeddedPostgres({
      folder: below,
      port: await freePort(),
      password: 'password',
      settings,
    });
    await server.stop();
    expect(await readdir(below)).toEqual(['postgres']);
    await rm(folder, { recursive: true });
  });

  it('has its data elsewhere if root’s folder is closed to its user: there, too, where a start has failed at that', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'customer-account-service-test-'));
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
    // The tests' own user can use a closed folder of its own.
    const home = process.getuid?.() === 0 ? join('/var/lib/customer-account-service', name) : folder;
    const settings = { fsync: 'off' };
    const start = async () => startEmbeddedPostgres({ folder, port: await freePort(), password: 'password', settings });
    await (await start()).stop();
    expect(await readdir(home)).toEqual(['postgres']);
    await rm(home, { recursive: true });
    await mkdir(home, { mode: 0o700 });
    await (await start()).stop();
    expect(await readdir(home)).toEqual(['postgres']);
    await Promise.all([home, folder].map((path) => rm(path, { recursive: true, force: true })));
  });

  it('begins anew where the creation of its data was killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'customer-account-service-test-'));
    await chmod(folder, 0o755);
    const start = async () =>
      startEmbeddedPostgres({ folder, port: await freePort(), password: 'password', settings: { fsync: 'off' } });
    const killed = start();
    await Promise.all([
      expect(killed).rejects.toThrow('initdb failed'),
      until(() => globSync(join(folder, '*/PG_VERSION')).length > 0).then(() =>
        execFileSync('pkill', ['-KILL', '-P', String(process.pid), '-f', `initdb -D ${folder}`]),
      ),
    ]);
    const server = await start();
    await server.stop();
    expect(await readdir(folder)).toEqual(['postgres']);
    await rm(folder, { recursive: true });
  });
});
