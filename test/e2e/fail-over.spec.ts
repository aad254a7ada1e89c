import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { until } from '@test/until';

/** Simulates a fail-over: connections are closed, and new ones reach a server that is still read-only. */
describe('a database that has become a read-only standby', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi({ RATE_LIMIT_REQUESTS_PER_MINUTE: '100000' })));
  afterAll(() => api.stop());

  async function becomes(readOnly: 'on' | 'off'): Promise<void> {
    const { rows } = await api.superuser.query<{ name: string }>('select current_database() as name');
    await api.superuser.query(`alter database ${rows[0]?.name} set default_transaction_read_only = ${readOnly}`);
    await api.superuser.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }

  it('costs writes a 503 that says to try again, while reads go on; then they work without a hand', async () => {
    const { call } = await createCaller(api);
    const write = () =>
      call('/support/tickets', {
        method: 'POST',
        body: '{"title":"a","body":"b"}',
        headers: { 'content-type': 'application/json' },
      });
    expect((await write()).status).toBe(201);
    await becomes('on');
    // The service notices the closed connections first.
    await until(async () => (await call('/services')).status === 200);
    for (let attempt = 0; attempt < 5; attempt++) {
      const reply = await write();
      expect(reply.headers.get('retry-after')).not.toBeNull();
      await expectProblem(reply, 503, 'service_unavailable');
    }
    expect((await call('/services')).status).toBe(200);
    await becomes('off');
    await until(async () => (await write()).status === 201);
  });
});
