import type { EntityTable } from '@platform/database';
import type { AiLedgerEntry } from '../../entities/ai-ledger-entry.entity';
import { ENTRY } from './ledger-entry';

/**
 * Entries behind one, the latest first: `$1` is the customer, `$2` how many, `$3` and `$4` the moments between which they
 * were made, `$5` the kind, `$6` the sequence number of the one before; null where open.
 *
 * Numbers and ids are given under the account's lock, so both are in one order, and a range of time is one of numbers: the
 * entries that bound it are found by their ids. The minute is for transactions that began, and took their time, before they
 * had the lock, and for a clock that was set back.
 */
export function ledgerEntriesSql(
  e: EntityTable<AiLedgerEntry>,
  b: EntityTable<AiLedgerEntry>,
  { exceptUsage }: { exceptUsage: boolean },
): string {
  const [sequence, createdAt, kind] = [e.column('sequence'), e.column('createdAt'), e.column('kind')];
  const bound = (condition: string, order: string) => `(
        select ${b.column('sequence')} from ${b.from}
        where ${b.column('customerId')} = $1 and ${b.column('id')} ${condition} order by ${b.column('id')} ${order} limit 1)`;
  return `
    select ${e.select(ENTRY)} from ${e.from}
    where ${e.column('customerId')} = $1 and ${sequence} < least($6::bigint, 9223372036854775807)
      and ${sequence} > greatest(${bound(`< app.first_id($3::timestamptz - interval '1 minute')`, 'desc')}, 0)
      and ${sequence} < least(${bound(`>= app.first_id($4::timestamptz + interval '1 minute')`, 'asc')}, 9223372036854775807)
      and ${createdAt} >= greatest($3::timestamptz, '-infinity') and ${createdAt} < least($4::timestamptz, 'infinity')
      and ($5::text is null or ${kind} = $5::text)${exceptUsage ? ` and ${kind} <> 'usage'` : ''}
    order by ${sequence} desc limit $2`;
}
