import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@test/free-port';
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
});
