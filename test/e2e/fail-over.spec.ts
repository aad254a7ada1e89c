import { TokenChangeListenerService } from '@platform/tokens';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { createCaller, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { until } from '@test/until';

/** Simulates a fail-over: connections are closed, and new ones reach a server that is still read-only. */
describe('a database that has become a read-only standby', () => {
  let fixture: AiApi;
  let api: TestApi;
  beforeAll(async () => {
    fixture = await startAiApi();
    api = fixture.api;
  });
  afterAll(() => fixture.stop());

  /** Says what new connections meet. */
  async function becomes(readOnly: 'on' | 'off'): Promise<void> {
    const { rows } = await api.superuser.query<{ name: string }>('select current_database() as name');
    await api.superuser.query(`alter database ${rows[0]?.name} set default_transaction_read_only = ${readOnly}`);
  }

  async function closeConnections(): Promise<void> {
    await api.superuser.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }

  it('costs writes a 503 that says to try again, while reads go on; then they work without a hand', async () => {
    const { call, customer, post } = await createAiCaller(fixture);
    const write = () => post('/support/tickets', { title: 'a', body: 'b' });
    const ask = () => post('/ai/messages', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 });
    expect((await write()).status).toBe(201);
    expect((await ask()).status).toBe(201);
    await becomes('on');
    await closeConnections();
    // The service notices the closed connections first.
    await until(async () => (await call('/services')).status === 200);
    for (let attempt = 0; attempt < 5; attempt++)
      for (const request of [write, ask]) {
        const reply = await request();
        expect(reply.headers.get('retry-after')).not.toBeNull();
        await expectProblem(reply, 503, 'service_unavailable');
      }
    expect((await call('/services')).status).toBe(200);
    // The name leads to the primary again; connections to the standby stay.
    await becomes('off');
    await until(async () => (await write()).status === 201);
    await until(async () => (await ask()).status === 201);
    // On the connections of the reads.
    await api.superuser.query('delete from service_token_use where customer_id = $1', [customer.id]);
    await until(async () => {
      expect((await call('/services')).status).toBe(200);
      const uses = 'select from service_token_use where customer_id = $1';
      return (await api.superuser.query(uses, [customer.id])).rows.length > 0;
    });
  });

  it('is asked for a token each time: its answers are not remembered', async () => {
    const { call, token } = await createCaller(api);
    const listener = api.app.get(TokenChangeListenerService);
    await becomes('on');
    await closeConnections();
    await until(async () => (await call('/services')).status === 200 && listener.trusted);
    jest.spyOn(listener, 'trusted', 'get').mockReturnValue(true);
    expect((await call('/services')).status).toBe(200);
    // Of which this standby's listener would not hear.
    await api.superuser.query('update service_token set active = false where id = $1', [token.id]);
    await expectProblem(await call('/services'), 401, 'unauthorized');
    jest.restoreAllMocks();
    await becomes('off');
  });
});
