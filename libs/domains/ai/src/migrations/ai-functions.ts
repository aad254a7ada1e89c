import { join } from 'node:path';
import type { FunctionAccess, FunctionFile } from '@platform/database';

const LEDGER = join(__dirname, '..', 'ledger', 'sql');
const ADAPTER = join(__dirname, '..', 'adapters', 'messages-api');
const LIVENESS = join(__dirname, '..', 'liveness', 'sql');

/** Both the API and the operator's programs compute or say it. */
const SHARED: FunctionAccess = {};
/** Done for the API by the operator's role: the API's own has no right to write the rows that it changes. */
const FOR_THE_API: FunctionAccess = { asOperator: true };
/** For the API about one customer: on a cluster on that customer's node. */
const ABOUT_ONE_CUSTOMER: FunctionAccess = {
  asOperator: true,
  delegated: { table: 'ai_account', lockTimeout: '250ms' },
};
/** The operator's programs', and steps of the functions above. */
const OPERATORS: FunctionAccess = { roles: ['account_operator'] };

/** The ledger's functions, and those that tell which processes live. */
export const AI_FUNCTIONS: readonly FunctionFile[] = [
  {
    path: join(LIVENESS, 'process-liveness.sql'),
    functions: {
      process_heartbeat: FOR_THE_API,
      end_process: FOR_THE_API,
      process_is_gone: OPERATORS,
      run_on_nodes: SHARED,
    },
  },
  {
    path: join(LEDGER, 'pricing.sql'),
    functions: {
      ai_price_at: OPERATORS,
      ai_input_ceiling: SHARED,
      ai_reserved_amount: SHARED,
      ai_affordable_tokens: SHARED,
      ai_cost: OPERATORS,
    },
  },
  {
    path: join(LEDGER, 'credit-order.sql'),
    functions: {
      ai_spendable: SHARED,
      ai_free_credit: OPERATORS,
      ai_paid_from_purchased: OPERATORS,
      ai_month_limit_of: SHARED,
      ai_month_limit: OPERATORS,
    },
  },
  {
    path: join(LEDGER, 'unlocked-accounts.sql'),
    functions: { ai_unlocked_account: FOR_THE_API, ai_unlocked_accounts: FOR_THE_API },
  },
  {
    path: join(LEDGER, 'credit-events.sql'),
    functions: {
      record_ai_credit_event: OPERATORS,
      ai_announce_thresholds: OPERATORS,
      ai_announce_exhausted: OPERATORS,
    },
  },
  {
    path: join(LEDGER, 'month.sql'),
    functions: {
      ai_included_credit_of: SHARED,
      ai_included_credit: SHARED,
      ai_kept_over_month: SHARED,
      ai_roll_over: OPERATORS,
      ai_unneeded_carried_over: OPERATORS,
      ai_expire_carried_over: OPERATORS,
      ai_grant_difference: OPERATORS,
    },
  },
  {
    path: join(LEDGER, 'abandoned.sql'),
    functions: {
      ai_resolve_abandoned: OPERATORS,
      ai_resolve_abandoned_call: { asOperator: true, delegated: { table: 'ai_account', inTransactions: true } },
    },
  },
  {
    path: join(LEDGER, 'reserve.sql'),
    functions: {
      ai_reservation_refusal: SHARED,
      ai_reserve_calls: OPERATORS,
      ai_reserve: FOR_THE_API,
      ai_reserve_for: ABOUT_ONE_CUSTOMER,
    },
  },
  {
    path: join(LEDGER, 'settle.sql'),
    functions: {
      ai_settle_calls: OPERATORS,
      ai_settle: FOR_THE_API,
      ai_settled_before: OPERATORS,
      ai_write_settlements: OPERATORS,
      ai_settle_for: ABOUT_ONE_CUSTOMER,
    },
  },
  {
    path: join(LEDGER, 'release.sql'),
    functions: { ai_release_for: ABOUT_ONE_CUSTOMER, ai_release: FOR_THE_API, ai_reservation_of: OPERATORS },
  },
  {
    path: join(LEDGER, 'operator-bookings.sql'),
    functions: { ai_credit: OPERATORS },
  },
  {
    path: join(ADAPTER, 'provider-outages.sql'),
    functions: { announce_ai_upstream_down: FOR_THE_API },
  },
  {
    path: join(LEDGER, 'carry-forward.sql'),
    functions: { ai_carry_forward: OPERATORS },
  },
];
