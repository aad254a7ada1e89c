import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { clientSettings } from '@platform/database';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { describeOnOneServer } from '@test/kinds-of-server';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

describeOnOneServer("A customer's many keys", 'the nodes plan it', () => {
  it('are looked up one by one, even with plans that were made while there were none', async () => {
    const { superuser } = database;
    const { id: customerId } = await saveFakeCustomer(superuser);
    // Known to be empty: an index that begins with the customer is then as small as the primary key.
    await superuser.query('vacuum analyze idempotency_key');
    await superuser.query('begin');
    await superuser.query('set local enable_seqscan = off');
    for (let count = 0; count < 20; count++) {
      const [hash, effect] = [randomBytes(32), randomUUID()];
      const claim = 'select app.claim_idempotency_key($1, $2, $2, $3)';
      await superuser.query(claim, [customerId, hash, effect]);
      const end = count % 2 ? 'complete_idempotency_key($1, $2, $3, null, null)' : 'free_idempotency_key($1, $2, $3)';
      await superuser.query(`select app.${end}`, [customerId, hash, effect]);
    }
    await superuser.query('commit');
    await superuser.query('select pg_stat_force_next_flush()');
    const { rows } = await superuser.query<{ index: string; scans: number }>(
      `select indexrelname as index, idx_scan::int as scans from pg_stat_user_indexes where relname = 'idempotency_key' order by 1`,
    );
    expect(rows).toEqual([
      { index: 'idempotency_key_age_idx', scans: 0 },
      { index: 'idempotency_key_overdue_idx', scans: 0 },
      { index: 'idempotency_key_pk', scans: expect.any(Number) },
    ]);
  });

  it('are looked up one by one by the API, whose plans are kept', async () => {
    await database.superuser.query('vacuum analyze idempotency_key');
    const api = new Client(clientSettings(database.config, 'customer_api'));
    await api.connect();
    await api.query('set plan_cache_mode = force_generic_plan');
    await api.query(
      'prepare find (uuid, bytea) as select state from idempotency_key where customer_id = $1 and key_hash = $2',
    );
    const { rows } = await api.query<{ 'QUERY PLAN': string }>(`explain execute find ('${randomUUID()}', '\\x00')`);
    await api.end();
    expect(rows.map((row) => row['QUERY PLAN'].trim())).toEqual(
      expect.arrayContaining([expect.stringContaining('Index Scan using idempotency_key_pk')]),
    );
  });
});
