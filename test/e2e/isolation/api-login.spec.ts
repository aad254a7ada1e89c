import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { clientSettings } from '@platform/database';
import { hashToken } from '@platform/tokens';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

/** The limits of somebody who can run any statement with the API's login, but has no token: `docs/decisions/isolation.md`. */
describe("the API's login alone", () => {
  let api: Client;

  beforeAll(async () => {
    api = new Client(clientSettings(database.config, 'customer_api'));
    await api.connect();
  });

  afterAll(() => api.end());

  const run = (sql: string, values: unknown[] = []) =>
    api.query(sql, values).then(
      ({ rowCount }) => rowCount,
      (error: unknown) => (error as { code: string }).code,
    );
  const liveProcesses = async () =>
    (await database.superuser.query<{ id: string }>('select id from process_liveness')).rows.map(({ id }) => id);

  it('cannot learn the id of a process, and without it can neither end the process nor keep it alive', async () => {
    const id = randomUUID();
    await database.superuser.query('select app.process_heartbeat($1)', [id]);
    for (const statement of [
      'select id from process_liveness',
      'select served from liveness_clock',
      'delete from process_liveness',
      `update process_liveness set seen_at = now()`,
      `insert into process_liveness values (gen_random_uuid(), '0', now())`,
      `update liveness_clock set served = '1 year'`,
    ])
      expect([statement, await run(statement)]).toEqual([statement, '42501']);
    expect(await liveProcesses()).toContain(id);
    // The process itself knows its id.
    expect(await run('select app.process_heartbeat($1)', [id])).toBe(1);
    expect(await run('select app.end_process($1)', [id])).toBe(1);
    expect(await liveProcesses()).not.toContain(id);
  });

  it('can record the use of a token only by the hash of it, and never in the future', async () => {
    const { id: customerId } = await saveFakeCustomer(database.superuser);
    const { token } = await saveFakeToken(database.superuser, customerId);
    const lastUse = async () =>
      (
        await database.superuser.query<{ ahead: boolean }>(
          'select last_used_at > app.now() as ahead from service_token_use where customer_id = $1',
          [customerId],
        )
      ).rows;
    expect(await run('insert into service_token_use values ($1, $2, now())', [customerId, randomUUID()])).toBe('42501');
    const record = 'select app.record_token_uses($1, $2)';
    expect(await run(record, [[hashToken('guessed')], [0]])).toBe(1);
    expect(await lastUse()).toEqual([]);
    expect(await run(record, [[hashToken(token)], [-3_600_000]])).toBe(1);
    expect(await lastUse()).toEqual([{ ahead: false }]);
  });
});
