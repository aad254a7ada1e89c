import type { Client } from 'pg';

/** A charged call. By default it was charged now, 0.1 NOK of included credit. */
export interface FakeUsage {
  createdAt?: Date | string;
  /** When it was reserved, which its id has. Default: when it was charged. */
  reservedAt?: Date | string;
  model?: string;
  tokenId?: string | null;
  requestId?: string;
  included?: string;
  purchased?: string;
  /** The part of the cost that neither credit paid. */
  uncovered?: string;
}

/** Stores the usage row of a call, and adds it to the sums of its day, as a settlement does. */
export async function saveFakeUsage(client: Client, customerId: string, fake: FakeUsage = {}): Promise<{ id: string }> {
  const {
    model = 'model',
    tokenId = null,
    requestId = 'request',
    included = '0.1',
    purchased = '0',
    uncovered = '0',
  } = fake;
  const createdAt = fake.createdAt ?? new Date();
  const { rows } = await client.query<{ id: string }>(
    `insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
       cache_read_tokens, output_tokens, cost, paid_from_included, paid_from_purchased, price_valid_from, api_request_id,
       token_id, created_at, uncovered)
     values ($1, (left(app.first_id($2)::text, 18) || right(gen_random_uuid()::text, 18))::uuid, 'anthropic', $3, 10, 0, 0, 0,
       20, $4::numeric + $5::numeric + $9::numeric, $4, $5, '2020-01-01', $6, $7, $8, $9)
     returning id`,
    [customerId, fake.reservedAt ?? createdAt, model, included, purchased, requestId, tokenId, createdAt, uncovered],
  );
  await client.query(
    `insert into ai_usage_day as d (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens,
       cache_write_1h_tokens, cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
     values ($1, ($2::timestamptz at time zone 'Europe/Oslo')::date, $3, coalesce($4::uuid, '00000000-0000-0000-0000-000000000000'),
       1, 10, 0, 0, 0, 20, $5::numeric + $6::numeric + $7::numeric, $7, $5, $6)
     on conflict (customer_id, day, model, token_id) do update set calls = d.calls + 1, cost = d.cost + excluded.cost,
       uncovered = d.uncovered + excluded.uncovered,
       input_tokens = d.input_tokens + 10, output_tokens = d.output_tokens + 20,
       paid_from_included = d.paid_from_included + excluded.paid_from_included,
       paid_from_purchased = d.paid_from_purchased + excluded.paid_from_purchased`,
    [customerId, createdAt, model, tokenId, included, purchased, uncovered],
  );
  return { id: rows[0]?.id ?? '' };
}
