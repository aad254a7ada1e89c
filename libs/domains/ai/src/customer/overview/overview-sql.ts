import type { CustomerServiceEntity } from '@domains/services';
import type { EntityTable } from '@platform/database';
import type { AiAccount } from '../../entities/ai-account.entity';
import type { AiSettings } from '../../entities/ai-settings.entity';

/**
 * A customer's AI status in one statement; `$1` is the customer, `$2` the billing time zone. An account that no call and no
 * worker has rolled over yet is shown as if it had been.
 */
export function overviewSql(
  s: EntityTable<AiSettings>,
  a: EntityTable<AiAccount>,
  v: EntityTable<CustomerServiceEntity>,
  pending: string,
): string {
  const rolledOver = `${a.column('month')} >= c.month`;
  // As app.ai_included_credit, which the nodes of a cluster cannot call for a row: it reads a table.
  const includedCredit = `
    (select coalesce(sum(app.ai_included_credit_of(${v.column('config')})), 0)::numeric(24,12) from ${v.from}
     where ${v.column('customerId')} = $1 and ${v.column('type')} = 'ai' and ${v.column('status')} = 'active')`;
  return `
    select coalesce(${s.column('enabled')}, false), b.included, b.purchased, b.included + b.purchased, b.reserved, b.usage,
      -- What included credit gives, and purchased credit that was used this month or is left; never less than was used.
      greatest(b.usage, least(${s.column('totalLimit')},
        greatest(b.included_usage, least(b.included_usage + b.included, ${s.column('monthlyLimit')}))
        + (b.usage - b.included_usage) + b.purchased)),
      b.month, ${pending}
    from (select $1::uuid as customer_id, app.billing_month(app.now(), $2) as month) c
    left join ${s.from} on ${s.column('customerId')} = c.customer_id
    left join ${a.from} on ${a.column('customerId')} = c.customer_id
    cross join lateral (
      select case when ${rolledOver} then ${a.column('included')}
                  else coalesce(app.ai_kept_over_month(${a.column('included')},
                         ${s.column('monthlyLimit')} - ${a.column('monthIncludedUsage')}, ${a.column('purchased')}, ${a.column('reserved')}), 0)
                       + case when ${s.column('enabled')} then ${includedCredit} else 0 end
             end as included,
             coalesce(${a.column('purchased')}, 0) as purchased,
             coalesce(${a.column('reserved')}, 0) as reserved,
             case when ${rolledOver} then ${a.column('monthUsage')} else 0 end as usage,
             case when ${rolledOver} then ${a.column('monthIncludedUsage')} else 0 end as included_usage,
             greatest(${a.column('month')}, c.month) as month) b`;
}
