import type { Mutant } from '../mutant';
import { access } from './access';
import { isolation } from './isolation';
import { limits } from './limits';
import { paging } from './paging';
import { secrets } from './secrets';
import { support } from './support';
import { tokens } from './tokens';

/** All mutants, by area. */
export const MUTANTS: Mutant[] = [...tokens, ...access, ...limits, ...isolation, ...paging, ...secrets, ...support];
