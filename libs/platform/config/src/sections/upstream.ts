import { milliseconds, millisecondsOrNone, positive } from './types';

/** Calls to other systems: the AI provider, SMS gateways, billing sources. */
export const upstream = {
  UPSTREAM_CONNECT_TIMEOUT_MS: milliseconds.default(5_000).describe('maximum time to connect to another system'),
  UPSTREAM_MEMORY_MB: positive
    .default(64)
    .describe(
      'megabytes of replies of other systems held in memory at the same time, per process; beyond that, calls are still made, and the reading of their replies waits',
    ),
  UPSTREAM_BREAKER_FAILURES: positive
    .default(10)
    .describe(
      'failed calls within UPSTREAM_BREAKER_WINDOW_MS after which another system counts as down, if they outnumber the successful calls. The calls of one customer make up at most half of this number; failures to connect count in full',
    ),
  UPSTREAM_BREAKER_WINDOW_MS: milliseconds.default(30_000).describe('time for which a failed call counts'),
  UPSTREAM_BREAKER_SPREAD_MS: millisecondsOrNone
    .default(1_000)
    .describe(
      'minimum time between the first and the last of these failed calls: a shorter disturbance does not count as an outage',
    ),
  UPSTREAM_BREAKER_RESET_MS: milliseconds
    .default(5_000)
    .describe(
      'time for which no calls are made to a system that counts as down; then one call tests whether it works again, and another each time that it has shown nothing for so long',
    ),
};
