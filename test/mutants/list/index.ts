import type { Mutant } from '../mutant';
import { tokens } from './tokens';

/** All mutants, by area. */
export const MUTANTS: Mutant[] = [...tokens];
