import type { Mutant } from '../mutant';
import { keys } from './keys';
import { ledger } from './ledger';
import { writes } from './writes';

/** Mistakes in SQL that no operator of the random sample makes. */
export const MUTANTS: Mutant[] = [...ledger, ...keys, ...writes];
