import type { EntityManager } from 'typeorm';

/** What has to be settled with a customer first, with the statement that counts it and what to do. */
const OBSTACLES = [
  {
    count: `select count(*)::int as count from ai_reservation where customer_id = $1 and state = 'pending'`,
    says: (count: number) => `${count} AI calls in progress: wait for their end`,
  },
  {
    count: `select count(*)::int as count from invoice where customer_id = $1 and status in ('draft', 'open')`,
    says: (count: number) => `${count} unpaid invoices: set their status first (invoice set-status)`,
  },
  {
    count: `select count(*)::int as count from ai_credit_request where customer_id = $1 and status = 'pending'`,
    says: (count: number) => `${count} pending credit requests: approve or reject them first`,
  },
  {
    count: `select count(*)::int as count from ai_account where customer_id = $1 and purchased > 0`,
    says: () =>
      'purchased AI credit that is left: pay it back and book that first (ai credit --kind manual_adjustment)',
  },
];

/** Why a customer cannot be erased yet, a sentence each; none if it can. */
export async function erasureObstacles(manager: EntityManager, customerId: string): Promise<string[]> {
  const found: string[] = [];
  for (const { count, says } of OBSTACLES) {
    const [row] = await manager.query<{ count: number }[]>(count, [customerId]);
    if (row && row.count > 0) found.push(says(row.count));
  }
  return found;
}

/** Whether the books mention a customer: then accounting law wants to know who it was. */
export async function isInTheBooks(manager: EntityManager, customerId: string): Promise<boolean> {
  for (const table of ['invoice', 'ai_ledger_entry', 'ai_ledger_carried']) {
    const found = await manager.query<unknown[]>(`select 1 from ${table} where customer_id = $1 limit 1`, [customerId]);
    if (found.length > 0) return true;
  }
  return false;
}
