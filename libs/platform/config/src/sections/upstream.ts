import { z } from 'zod';
import { positive } from './types';

/** Calls to other systems: the AI provider, SMS gateways, billing sources. */
export const upstream = {
  UPSTREAM_CONNECT_TIMEOUT_MS: positive.default(5_000).describe('longest connecting to another system may take'),
  UPSTREAM_MEMORY_MB: positive
    .default(64)
    .describe('megabytes of replies of other systems held in memory at a time, per process; further replies wait'),
  UPSTREAM_BREAKER_FAILURES: positive
    .default(10)
    .describe(
      'failures within UPSTREAM_BREAKER_WINDOW_MS, at most half of them of one customer, after which a system counts as down',
    ),
  UPSTREAM_BREAKER_WINDOW_MS: positive.default(30_000).describe('how long a failure of another system counts'),
  UPSTREAM_BREAKER_SPREAD_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000)
    .describe('least time between the first and the last of the failures after which a system counts as down'),
  UPSTREAM_BREAKER_RESET_MS: positive
    .default(5_000)
    .describe('time after which one call tries whether a system that counts as down is up again'),
};
