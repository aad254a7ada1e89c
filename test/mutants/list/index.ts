import type { Mutant } from '../mutant';
import { access } from './access';
import { creditRequests } from './credit-requests';
import { gateway } from './gateway';
import { growth } from './growth';
import { idempotency } from './idempotency';
import { invoices } from './invoices';
import { isolation } from './isolation';
import { ledger } from './ledger';
import { limits } from './limits';
import { monitoring } from './monitoring';
import { operator } from './operator';
import { paging } from './paging';
import { processes } from './processes';
import { secrets } from './secrets';
import { sms } from './sms';
import { streams } from './streams';
import { support } from './support';
import { tokens } from './tokens';
import { usage } from './usage';
import { validation } from './validation';

/** All mutants, by area. */
export const MUTANTS: Mutant[] = [
  ...tokens,
  ...access,
  ...limits,
  ...monitoring,
  ...isolation,
  ...paging,
  ...secrets,
  ...support,
  ...gateway,
  ...sms,
  ...creditRequests,
  ...validation,
  ...ledger,
  ...invoices,
  ...processes,
  ...operator,
  ...streams,
  ...idempotency,
  ...usage,
  ...growth,
];
