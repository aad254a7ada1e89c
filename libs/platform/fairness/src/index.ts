export { FairSlots, type Refusal } from './fair-slots';
export { FairTurns } from './fair-turns';
export { type Grant, HeldShares } from './held-shares';
export { REQUEST_MS, TimeShares } from './time-shares';
