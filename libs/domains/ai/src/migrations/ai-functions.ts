import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { createFunction, type FunctionAccess } from '@platform/database';

const AI = join(__dirname, '..');

/** What the API and the operator's programs both compute or say. */
const SHARED: FunctionAccess = {};
/** Done for the API by the operator's role: the API's own has no right to write what it changes. */
const FOR_THE_API: FunctionAccess = { asOperator: true };
/** The operator's programs', and what the functions above do on the way. */
const OPERATORS: FunctionAccess = { roles: ['account_operator'] };

/** In the order in which they need one another. */
const FUNCTIONS: Record<string, FunctionAccess> = {
  'liveness/sql/process-heartbeat': SHARED,
  'liveness/sql/process-is-gone': SHARED,
  'ledger/sql/month/billing-month': SHARED,
  'ledger/sql/month/included-credit-of': SHARED,
  'ledger/sql/month/included-credit': SHARED,
  'ledger/sql/month/kept-over-month': SHARED,
  'ledger/sql/account/spendable': SHARED,
  'ledger/sql/account/reservation-of': OPERATORS,
  'ledger/sql/pricing/input-ceiling': SHARED,
  'ledger/sql/pricing/affordable-tokens': SHARED,
  'ledger/sql/pricing/reservation-refusal': SHARED,
  'ledger/sql/month/roll-over': OPERATORS,
  'ledger/sql/month/expire-carried-over': OPERATORS,
  'ledger/sql/month/grant-difference': OPERATORS,
  'ledger/sql/resolve-abandoned': OPERATORS,
  'ledger/sql/resolve-abandoned-call': FOR_THE_API,
  'ledger/sql/batched/reserve': FOR_THE_API,
  'ledger/sql/batched/write-settlements': OPERATORS,
  'ledger/sql/batched/settled-before': OPERATORS,
  'ledger/sql/batched/settle': FOR_THE_API,
  'ledger/sql/batched/release': FOR_THE_API,
  'ledger/sql/batched/unlocked-accounts': FOR_THE_API,
  'ledger/sql/per-customer/reserve': FOR_THE_API,
  'ledger/sql/per-customer/add-to-day': OPERATORS,
  'ledger/sql/per-customer/settle': FOR_THE_API,
  'ledger/sql/per-customer/release': FOR_THE_API,
  'ledger/sql/per-customer/unlocked-account': FOR_THE_API,
  'ledger/sql/credit': OPERATORS,
  'ledger/sql/carry-forward': OPERATORS,
};

/** The ledger's functions, and those that tell which processes live. */
export async function createAiFunctions(runner: QueryRunner): Promise<void> {
  for (const [file, access] of Object.entries(FUNCTIONS)) await createFunction(runner, join(AI, file), access);
}
