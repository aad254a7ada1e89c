export { createTimeShares, FairnessModule } from './fairness.module';
export { FairSlots, type Grant, HeldShares, type Refusal } from './held-shares';
export { TimeShares } from './time-shares';
