import { setTimeout as delay } from 'node:timers/promises';
import { createMonths } from './seed';
import { send } from './latencies';
import { MONTHS } from './sizes';
import type { Site } from './site';

/** How long a month took to be dropped, and what calls noticed of it, in milliseconds. */
export interface MonthDropped {
  rows: number;
  bytes: number;
  ms: number;
  /** The longest call while nothing was dropped, and while the month was. */
  longestBefore: number;
  longestMeanwhile: number;
}

const BEFORE_MS = 5_000;
const CALLERS = 4;
const MESSAGE = {
  name: 'POST /ai/messages',
  method: 'POST',
  path: '/ai/messages',
  body: () => ({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 16 }),
};
const LOG = { name: 'GET /sms/log', method: 'GET', path: '/sms/log?limit=20' };

/** Fills a month of its own with usage, older than all others, and drops it under AI messages and lists. */
export async function dropMonth(site: Site, rows: number): Promise<MonthDropped> {
  const { superuser } = site;
  await createMonths(superuser, ['ai_usage'], MONTHS + 4);
  const month = `date_trunc('month', now() at time zone 'UTC') - interval '${MONTHS + 4} months'`;
  await superuser.query(`
    insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
      cache_read_tokens, output_tokens, cost, request_id, api_request_id, created_at)
    select c.id, app.first_id(at), 'anthropic', 'growth', 500, 0, 0, 0, 100, 0.01, 'req_01' || lpad(k::text, 22, '0'),
      lpad(k::text, 36, '0'), at
    from (select k, (${month}) at time zone 'UTC' + interval '1 day' + k * interval '200 milliseconds' as at
      from generate_series(1, ${rows}::bigint) k) r
    join (select id, row_number() over () - 1 as place, count(*) over () as customers from customer) c on c.place = k % c.customers`);
  await superuser.query('checkpoint');
  const { rows: sizes } = await superuser.query<{ bytes: number; month: string }>(
    `select pg_total_relation_size('partitions.ai_usage_' || to_char(${month}, 'YYYY_MM'))::float as bytes, (${month})::date::text as month`,
  );
  const [size] = sizes;
  if (!size) throw new Error('The month was not made');

  const stop = new AbortController();
  let longest = 0;
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    while (!stop.signal.aborted) {
      const start = performance.now();
      await send(site, site.tokens[index % site.tokens.length] as string, index % 2 === 0 ? MESSAGE : LOG);
      longest = Math.max(longest, performance.now() - start);
    }
  });
  await delay(BEFORE_MS);
  const longestBefore = longest;
  longest = 0;
  const start = performance.now();
  await dropPatiently(site, size.month);
  const ms = performance.now() - start;
  await delay(1_000);
  stop.abort();
  await Promise.all(callers);
  return { rows, bytes: size.bytes, ms, longestBefore, longestMeanwhile: longest };
}

/** As the worker does: again, when it would have to wait for longer than 100 ms. */
async function dropPatiently({ superuser }: Site, month: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const failure = await superuser.query(`select app.drop_partition('ai_usage', $1)`, [month]).then(
      () => undefined,
      (error: unknown) => error as { code?: string },
    );
    if (failure === undefined) return;
    if (failure.code !== '55P03' || attempt === 10) throw failure as Error;
    await delay(200);
  }
}
