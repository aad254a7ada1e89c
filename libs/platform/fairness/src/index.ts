export { type Grant, HeldShares } from './held-shares';
