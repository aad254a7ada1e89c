export { createTimeShares, FairnessModule } from './fairness.module';
export { FairTurns } from './fair-turns';
export { FairSlots, type Grant, HeldShares, type Refusal } from './held-shares';
export { TimeShares } from './time-shares';
