export { FairSlots, type Refusal } from './fair-slots';
export { type Grant, HeldShares } from './held-shares';
export { REQUEST_MS, TimeShares } from './time-shares';
