import type { AppConfig } from '@platform/config';

/** Longest note of an adjustment or a refund, in Unicode characters. */
export const CREDIT_NOTE_MAX = 1000;

/** Characters of a provider key. */
export const PROVIDER_KEY_MAX = 500;
const PROVIDER_KEY = new RegExp(`^[\\x21-\\x7e]{8,${PROVIDER_KEY_MAX}}$`);

/** The fault of a customer's own provider key, to be appended to its name; undefined if it is valid. */
export function providerKeyFault(key: unknown): string | undefined {
  return typeof key === 'string' && PROVIDER_KEY.test(key)
    ? undefined
    : `must be one word of 8 to ${PROVIDER_KEY_MAX} characters`;
}

/** Credit thresholds of a customer at most, and the percents that each may have; the table's check has the same. */
export const CREDIT_THRESHOLDS_MAX = 5;
export const THRESHOLD_PERCENTS = { min: 1, max: 99 } as const;

/** The fault of a customer's credit thresholds, to be appended to their name; undefined if they are valid. */
export function thresholdsFault(thresholds: unknown): string | undefined {
  const { min, max } = THRESHOLD_PERCENTS;
  return Array.isArray(thresholds) &&
    thresholds.length > 0 &&
    thresholds.length <= CREDIT_THRESHOLDS_MAX &&
    thresholds.every((one) => Number.isInteger(one) && one >= min && one <= max) &&
    new Set(thresholds).size === thresholds.length
    ? undefined
    : 'must be a list of one to five different whole numbers from 1 to 99';
}

/** How long a call to the provider may take, in milliseconds. */
export function longestCallMs({ AI_UPSTREAM_TIMEOUT_MS, AI_STREAM_TIMEOUT_MS }: AppConfig, streamed: boolean): number {
  return streamed ? Math.max(AI_UPSTREAM_TIMEOUT_MS, AI_STREAM_TIMEOUT_MS) : AI_UPSTREAM_TIMEOUT_MS;
}
