import type { EntityTable } from '@platform/database';
import type { AiModelPrice } from '../../entities/ai-model-price.entity';
import type { AiUsage } from '../../entities/ai-usage.entity';
import type { AiUsageDay } from '../../entities/ai-usage-day.entity';
import { PRICES, USAGE } from './receipt';

/** The tables of a receipt. */
export interface ReceiptTables {
  usage: EntityTable<AiUsage>;
  price: EntityTable<AiModelPrice>;
  day: EntityTable<AiUsageDay>;
}

/** The columns of a receipt, in the order of {@link RECEIPT_COLUMNS}. */
function selection({ usage: u, price: p }: ReceiptTables): string {
  return `${u.select(USAGE)}, ${p.select(PRICES)}, ${u.column('paidFromIncluded')} + ${u.column('paidFromPurchased')} as charged`;
}

function from({ usage: u, price: p }: ReceiptTables): string {
  return `${u.from} left join ${p.from} on ${p.column('model')} = ${u.column('model')}
      and ${p.column('validFrom')} = ${u.column('priceValidFrom')}`;
}

/** One receipt: `$1` is the customer, `$2` the id. */
export function receiptSql(tables: ReceiptTables): string {
  const { usage: u } = tables;
  return `select ${selection(tables)} from ${from(tables)} where ${u.column('customerId')} = $1 and ${u.column('id')} = $2`;
}

/**
 * Receipts behind one, newest first: `$2` how many, `$3` from which moment on the ids can be, `$4` and `$5` the moments
 * between which they were made, `$6` the id of the one before. What is null is open.
 */
export function receiptsSql(tables: ReceiptTables): string {
  return `
    select ${selection(tables)} from ${from(tables)}
    where ${within(tables)}
    order by ${tables.usage.column('id')} desc limit $2`;
}

/**
 * The same with conditions that no index has: `$7` is the token, `$8` the model, `$9` the billing time zone. The daily sums
 * tell on which days there are such receipts at all; only those days are looked through, the latest first. Days that are
 * close together are one stretch, which is a day longer at both ends: no receipt's id is further from its day.
 */
export function receiptsOfSomeSql(tables: ReceiptTables): string {
  const { usage: u, day: d } = tables;
  const conditions = (column: (name: 'tokenId' | 'model') => string) =>
    `($7::uuid is null or ${column('tokenId')} = $7::uuid) and ($8::text is null or ${column('model')} = $8::text)`;
  const day = d.column('day');
  return `
    select r.* from (
      select min(n.day) - 1 as first, max(n.day) + 2 as last from (
        select b.day, sum(b.begins) over (order by b.day) as stretch from (
          select ${day} as day, case when ${day} - lag(${day}) over (order by ${day}) <= 3 then 0 else 1 end as begins
          from ${d.from}
          where ${d.column('customerId')} = $1 and ${conditions((name) => d.column(name))}
            and ${day} >= greatest(($4::timestamptz at time zone $9)::date, '-infinity')
            and ${day} <= least(($5::timestamptz at time zone $9)::date, 'infinity')
          group by ${day}) b) n
      group by n.stretch order by first desc) s
    cross join lateral (
      select ${selection(tables)} from ${from(tables)}
      where ${within(tables)} and ${conditions((name) => u.column(name))}
        and ${u.column('id')} >= app.first_id(s.first::timestamp at time zone $9)
        and ${u.column('id')} < app.first_id(s.last::timestamp at time zone $9)
      order by ${u.column('id')} desc limit $2) r
    order by s.first desc, r.id desc limit $2`;
}

/** Bounds that are null are open. greatest and least ignore nulls; coalesce could be no index condition under row level security. */
function within({ usage: u }: ReceiptTables): string {
  const [id, createdAt] = [u.column('id'), u.column('createdAt')];
  return `${u.column('customerId')} = $1
      and ${id} >= greatest(app.first_id($3::timestamptz), '00000000-0000-0000-0000-000000000000')
      and ${id} < least(app.first_id($5::timestamptz), $6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and ${createdAt} >= greatest($4::timestamptz, '-infinity') and ${createdAt} < least($5::timestamptz, 'infinity')`;
}
