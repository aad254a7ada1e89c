import { randomBytes, randomUUID } from 'node:crypto';
import { connectAsSuperuser } from '@test/test-database';
import { until } from '@test/until';
import { useTestDatabase } from '@test/use-test-database';
import {
  clientSettings,
  DatabaseUnavailableError,
  decoders,
  PipelinedConnectionsService,
  prepared,
  readStatement,
} from '../index';

const database = useTestDatabase();
const ONE = prepared('test.one', 'select 1 as one');
const WHICH = prepared('test.which', 'select pg_backend_pid() as pid');
const READ = readStatement('test.read', 'select 1', { one: decoders.number });

/** Connections with a login of their own, which has rights and limits of its own. */
async function connectAsLogin(settings: { timeoutMs?: number; size: number }) {
  const login = `login_${randomBytes(4).toString('hex')}`;
  await database.superuser.query(`create role ${login} login password 'p' in role customer_api`);
  const url = Object.assign(new URL(database.url), { username: login, password: 'p' });
  const { timeoutMs: DATABASE_STATEMENT_TIMEOUT_MS = 5000, size } = settings;
  const config = { ...database.config, DATABASE_URL: url.href, DATABASE_STATEMENT_TIMEOUT_MS };
  const client = { ...clientSettings(config, 'customer_api'), keepOpen: true };
  const backends = async () => {
    const { rows } = await database.superuser.query<{ pid: number }>(
      'select pid from pg_stat_activity where usename = $1 order by backend_start',
      [login],
    );
    return rows.map(({ pid }) => pid);
  };
  return { login, backends, pipelines: new PipelinedConnectionsService({ client, size }) };
}

describe('pipelined connections', () => {
  it('of which one cannot be opened leave its work to the others, until it can', async () => {
    const { login, backends, pipelines } = await connectAsLogin({ size: 2 });
    await until(async () => (await backends()).length === 2);
    await database.superuser.query(`alter role ${login} connection limit 1`);
    for (const pid of await backends()) await database.superuser.query('select pg_terminate_backend($1::int)', [pid]);
    await until(async () => (await backends()).length === 1);
    const refused = async (count: number) => {
      const replies = await Promise.allSettled(Array.from({ length: count }, () => pipelines.single(ONE, [])));
      return replies.filter(({ status }) => status === 'rejected').length;
    };
    // Some of the first find out that it cannot be opened.
    await until(async () => (await refused(4)) === 0);
    expect(await refused(50)).toBe(0);
    // Nor does it say that nothing has to wait.
    const slow = pipelines.single(prepared('test.sleep', 'select pg_sleep(0.3)'), []);
    await until(() => pipelines.queueDelayMs() > 100);
    await slow;
    await database.superuser.query(`alter role ${login} connection limit -1`);
    await until(async () => {
      const replies = Array.from({ length: 2 }, () => pipelines.single<{ pid: number }>(WHICH, []));
      return new Set((await Promise.all(replies)).map(([row]) => row?.pid)).size === 2;
    });
    await pipelines.onApplicationShutdown();
  });

  it('that cannot be opened fail every read and statement that needs them, and serve again once they can', async () => {
    const { login, backends, pipelines } = await connectAsLogin({ size: 1 });
    await until(async () => (await backends()).length === 1);
    await database.superuser.query(`alter role ${login} nologin`);
    for (const pid of await backends()) await database.superuser.query('select pg_terminate_backend($1::int)', [pid]);
    await until(async () => (await backends()).length === 0);
    // More than one batch has.
    const reads = Array.from({ length: 20 }, () => pipelines.batch().read(randomUUID(), READ, []));
    const replies = await Promise.allSettled([...reads, pipelines.single(ONE, [])]);
    const unavailable = { status: 'rejected', reason: expect.any(DatabaseUnavailableError) as unknown };
    expect(replies).toEqual(replies.map(() => unavailable));
    expect(pipelines.queueDelayMs()).toBe(0);
    await database.superuser.query(`alter role ${login} login`);
    await until(async () => (await backends()).length === 1);
    expect(await pipelines.batch().read(randomUUID(), READ, [])).toEqual([{ one: 1 }]);
    await pipelines.onApplicationShutdown();
  });

  it('that began on a server that was read-only are replaced, without a statement that fails', async () => {
    const { login, backends, pipelines } = await connectAsLogin({ size: 2 });
    await until(async () => (await backends()).length === 2);
    await database.superuser.query(`alter role ${login} set default_transaction_read_only = on`);
    for (const pid of await backends()) await database.superuser.query('select pg_terminate_backend($1::int)', [pid]);
    await until(async () => (await backends()).length === 0);
    const readOnly = prepared('test.read-only', `select current_setting('transaction_read_only') as state`);
    const states = () => Promise.all(Array.from({ length: 2 }, () => pipelines.single(readOnly, [])));
    const read = (state: string) => [[{ state }], [{ state }]];
    await until(async () => (await backends()).length === 2);
    expect(await states()).toEqual(read('on'));
    await database.superuser.query(`alter role ${login} reset default_transaction_read_only`);
    await until(async () => JSON.stringify(await states()) === JSON.stringify(read('off')));
    await pipelines.onApplicationShutdown();
  });

  it('are closed if their first statement fails', async () => {
    const blocker = await connectAsSuperuser(database);
    // A backend that starts without PostgreSQL's cache file of the catalog opens this table already then: this one writes the file.
    await (await connectAsSuperuser(database)).end();
    await blocker.query('begin; lock table pg_extension in access exclusive mode');
    const { backends, pipelines } = await connectAsLogin({ size: 1, timeoutMs: 400 });
    const seen = new Set<number>();
    await until(async () => {
      const now = await backends();
      for (const pid of now) seen.add(pid);
      expect(now.length).toBeLessThanOrEqual(1);
      return seen.size >= 3;
    }).finally(() => blocker.query('rollback'));
    expect(await pipelines.single(ONE, [])).toEqual([{ one: 1 }]);
    await pipelines.onApplicationShutdown();
  });
});
