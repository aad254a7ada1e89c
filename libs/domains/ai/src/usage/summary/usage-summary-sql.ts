import type { EntityTable } from '@platform/database';
import type { AiUsageDay } from '../../entities/ai-usage-day.entity';
import type { UsageGroup } from './usage-summary';

const GROUPS: Record<UsageGroup, { key: (d: EntityTable<AiUsageDay>) => string; order: 'asc' | 'desc' }> = {
  day: { key: (d) => d.column('day'), order: 'desc' },
  month: { key: (d) => `date_trunc('month', ${d.column('day')}::timestamp)`, order: 'desc' },
  model: { key: (d) => d.column('model'), order: 'asc' },
  token: { key: (d) => d.column('tokenId'), order: 'asc' },
};

/** How a group's key is written. */
const TEXT: Record<UsageGroup, (key: string) => string> = {
  day: (key) => `${key}::text`,
  month: (key) => `to_char(${key}, 'YYYY-MM')`,
  model: (key) => key,
  token: (key) => `${key}::text`,
};

/** The key of the group before. */
const BEFORE: Record<UsageGroup, string> = {
  day: `$5::date`,
  month: `($5::text || '-01')::timestamp`,
  model: `$5::text`,
  token: `$5::uuid`,
};

const SUMS = [
  'calls',
  'inputTokens',
  'outputTokens',
  'cacheWrite5mTokens',
  'cacheWrite1hTokens',
  'cacheReadTokens',
] as const;

/**
 * The sums of groups, days and months the latest first, models and tokens in their order: `$1` is the customer, `$2` how many,
 * `$3` and `$4` the first and the last day, `$5` the key of the group before, `$6` the token, `$7` the model; null where open.
 */
export function usageSummarySql(d: EntityTable<AiUsageDay>, group: UsageGroup): string {
  const { key: keyOf, order } = GROUPS[group];
  const key = keyOf(d);
  const sum = (column: string) => `sum(${column})`;
  const [included, purchased] = [d.column('paidFromIncluded'), d.column('paidFromPurchased')];
  return `
    select ${TEXT[group](key)} as key, ${SUMS.map((name) => sum(d.column(name))).join(', ')},
      ${sum(`${included} + ${purchased}`)}, ${sum(included)}, ${sum(purchased)}, ${sum(d.column('uncovered'))}
    from ${d.from}
    where ${d.column('customerId')} = $1 and ${d.column('day')} between $3::date and $4::date
      and ($5::text is null or ${key} ${order === 'asc' ? '>' : '<'} ${BEFORE[group]})
      and ($6::uuid is null or ${d.column('tokenId')} = $6::uuid) and ($7::text is null or ${d.column('model')} = $7::text)
    group by ${key} order by ${key} ${order} limit $2`;
}
