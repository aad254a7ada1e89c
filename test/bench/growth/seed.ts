import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { generateToken, hashToken, SCOPES } from '@platform/tokens';
import { MONTHS } from './sizes';

/** NOK per call. */
const COST = 0.01;

/**
 * Fills a migrated database with as many usage rows, ledger entries (besides a top-up each) and SMS, spread evenly over the
 * last months and over the customers. The books add up. @returns one token per customer
 */
export async function seedGrowth(client: Client, rows: number, customers: number): Promise<string[]> {
  const tokens = await seedCustomers(client, customers);
  await createMonths(client, ['ai_usage', 'ai_ledger_entry', 'sms_message', 'audit_log'], MONTHS + 1);
  // Row k is made at this time for customer k modulo their number. The newest is some minutes old.
  const calls = `
    (select c.customer, c.token, k, k / ${customers} as nth, b.first + k * b.step as at,
       to_char((b.first + k * b.step) at time zone 'Europe/Oslo', 'YYYY-MM') as month
     from generate_series(0, ${rows - 1}::bigint) k
     join growth_customer c on c.place = k % ${customers}
     cross join (select now() - interval '5 minutes' - interval '${MONTHS} months' as first,
       (now() - (now() - interval '${MONTHS} months')) / ${rows} as step) b) r`;
  const credit = Math.ceil(rows / customers) * COST + 1_000_000;
  await client.query(`
    insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
      cache_read_tokens, output_tokens, cost, paid_from_purchased, price_valid_from, request_id, api_request_id, token_id, created_at)
    select customer, app.first_id(at), 'anthropic', 'growth', 500, 0, 0, 0, 100, ${COST}, ${COST}, '2020-01-01',
      'req_01' || lpad(k::text, 22, '0'), lpad(k::text, 36, '0'), token, at from ${calls}`);
  await client.query(`
    insert into ai_ledger_entry (customer_id, id, sequence, kind, bucket, amount, balance_after, month, usage_id, actor, created_at)
    select customer, app.first_id(at), nth + 2, 'usage', 'purchased', -${COST}, ${credit} - ${COST} * (nth + 1), month,
      app.first_id(at), 'system', at from ${calls}`);
  await client.query(`
    insert into ai_ledger_entry (customer_id, id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
    select customer, app.first_id(at), 1, 'invoice_topup', 'purchased', ${credit}, ${credit}, to_char(at, 'YYYY-MM'), 'operator', at
    from growth_customer cross join (select now() - interval '${MONTHS} months' - interval '1 hour' as at) t`);
  await client.query(`
    insert into sms_message (customer_id, id, recipient, sender_id, message, status, segments, encoding, gateway,
      gateway_message_id, delivered_at, created_at, updated_at)
    select customer, app.first_id(at), '+4790000000', 'Acme', 'Your order ' || k || ' is ready to be picked up at the store.',
      'delivered', 1, 'GSM-7', '46elks', 's' || md5(k::text), at, at, at from ${calls}`);
  await seedSums(client);
  return tokens;
}

/** Makes the months' partitions, from the present one back. */
export async function createMonths(client: Client, tables: readonly string[], months: number): Promise<void> {
  for (const table of tables) {
    for (let back = 0; back <= months; back++)
      await client.query(
        `select app.create_partition($1, ((now() at time zone 'UTC') - make_interval(months => $2))::date)`,
        [table, back],
      );
  }
}

async function seedCustomers(client: Client, count: number): Promise<string[]> {
  await client.query(`
    insert into ai_model_price (model, valid_from, input, cache_write_5m, cache_write_1h, cache_read, output)
    values ('growth', '2020-01-01', 10, 12.5, 20, 1, 50)`);
  await client.query('create temporary table growth_customer (place bigint primary key, customer uuid, token uuid)');
  const tokens: string[] = [];
  for (let place = 0; place < count; place++) {
    const [customer, tokenId, token] = [randomUUID(), randomUUID(), generateToken()];
    await client.query(
      `insert into customer (id, name, organization_number, customer_number, email) values ($1, $2, '123456785', $2, 'it@example.com')`,
      [customer, String(place)],
    );
    await client.query('insert into service_token (id, customer_id, token_hash, scopes) values ($1, $2, $3, $4)', [
      tokenId,
      customer,
      hashToken(token),
      Object.keys(SCOPES),
    ]);
    await client.query('insert into growth_customer values ($1, $2, $3)', [place, customer, tokenId]);
    tokens.push(token);
  }
  await client.query(
    `insert into ai_settings (customer_id, enabled, model) select customer, true, 'growth' from growth_customer`,
  );
  await client.query(
    `insert into sms_settings (customer_id, enabled, sender_id) select customer, true, 'Acme' from growth_customer`,
  );
  return tokens;
}

/** What is kept beside the rows: sums by day, and the accounts. */
async function seedSums(client: Client): Promise<void> {
  await client.query(`
    insert into ai_usage_day (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens,
      cache_write_1h_tokens, cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
    select customer_id, (created_at at time zone 'Europe/Oslo')::date, model, token_id, count(*), sum(input_tokens), 0, 0, 0,
      sum(output_tokens), sum(cost), 0, 0, sum(cost) from ai_usage group by 1, 2, 3, 4`);
  await client.query(`
    insert into ai_account (customer_id, month, month_usage, purchased, ledger_sequence)
    select e.customer_id, to_char(now() at time zone 'Europe/Oslo', 'YYYY-MM'),
      coalesce(-sum(e.amount) filter (where e.kind = 'usage' and e.month = to_char(now() at time zone 'Europe/Oslo', 'YYYY-MM')), 0),
      sum(e.amount), count(*) from ai_ledger_entry e group by 1`);
  await client.query('vacuum analyze');
}
