import type { Mutant } from '../mutant';
import { access } from './access';
import { creditRequests } from './credit-requests';
import { gateway } from './gateway';
import { isolation } from './isolation';
import { limits } from './limits';
import { paging } from './paging';
import { secrets } from './secrets';
import { sms } from './sms';
import { support } from './support';
import { tokens } from './tokens';

/** All mutants, by area. */
export const MUTANTS: Mutant[] = [
  ...tokens,
  ...access,
  ...limits,
  ...isolation,
  ...paging,
  ...secrets,
  ...support,
  ...gateway,
  ...sms,
  ...creditRequests,
];
