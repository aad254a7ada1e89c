import { z } from 'zod';
import { address, days, milliseconds, nonNegative, positive, rate } from './types';

/** The AI gateway: months, upstream, bounds. */
export const ai = {
  BILLING_TIMEZONE: z
    .string()
    .default('Europe/Oslo')
    .refine((zone) => Intl.supportedValuesOf('timeZone').includes(zone) || zone === 'UTC', 'must be an IANA time zone')
    .describe(
      'time zone of the calendar: months of AI credit, days of SMS limits, due dates of invoices. The same for all programs, also for the ' +
        'migrations, which store it: the others do not start with another one. It cannot be changed once AI credit was booked',
    ),
  ANTHROPIC_BASE_URL: address
    .optional()
    .describe(
      'base address of the Messages API; default: the sandbox if one runs and no key is set, otherwise https://api.anthropic.com',
    ),
  ANTHROPIC_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('service-wide key for customers without one of their own; secret'),
  AI_UPSTREAM_TIMEOUT_MS: milliseconds
    .default(600_000)
    .describe(
      'maximum time of a call to the AI provider, from connecting to the end of the reply; of a streamed message, until it begins, and from one part of it to the next',
    ),
  AI_STREAM_TIMEOUT_MS: milliseconds
    .default(3_600_000)
    .describe(
      'maximum time of a streamed message. It must suffice for an answer of AI_STREAM_OUTPUT_TOKENS_LIMIT: one that is cut off is not charged, but the provider bills it',
    ),
  AI_UPSTREAM_SILENT_MS: milliseconds
    .default(20_000)
    .describe(
      'time without any byte from the AI provider after which a new connection tests whether the provider can still be reached; if not, the call ends',
    ),
  AI_UPSTREAM_SLOW_MS: milliseconds
    .default(60_000)
    .describe(
      'age at which an unanswered call counts as a failure, if nothing is heard of the AI provider in other calls either; of a message that is not streamed, 50 ms more for each token of its max_tokens',
    ),
  AI_UPSTREAM_CONNECTIONS: positive
    .default(1024)
    .describe(
      'calls to the AI provider at the same time, per process; further calls are refused at once. One customer may have half of them',
    ),
  AI_COUNT_TIMEOUT_MS: milliseconds
    .default(10_000)
    .describe('maximum time to wait for the AI provider to count tokens'),
  AI_RESERVATION_MARGIN_MS: milliseconds
    .default(60_000)
    .describe(
      'time after AI_UPSTREAM_TIMEOUT_MS, or for a streamed message after AI_STREAM_TIMEOUT_MS, at which a pending reservation counts as abandoned. If the database is unavailable when a call is settled, the settlement is retried for half of this time. Then the service tries for the whole of this time to find out whether the call was charged',
    ),
  AI_RESERVATION_RETENTION_DAYS: days
    .default(90)
    .describe('days that reservations are kept after their end, including those that `ai unknown` lists'),
  AI_DEFAULT_MAX_TOKENS: positive.default(4_096).describe('max_tokens of a message that has none'),
  AI_OUTPUT_TOKENS_LIMIT: positive
    .default(21_333)
    .describe(
      'largest max_tokens of a message that is not streamed; a larger value is lowered to this. Above the default the provider requires streaming',
    ),
  AI_STREAM_OUTPUT_TOKENS_LIMIT: positive
    .default(128_000)
    .describe('largest max_tokens of a streamed message; a larger value is lowered to this'),
  AI_STREAM_PATIENCE_MS: milliseconds
    .default(60_000)
    .describe(
      'total time for which the client of a streamed message may stop reading. After that the client is disconnected; the service still reads the message to its end and charges it',
    ),
  AI_OUTPUT_TOKENS_FLOOR: positive
    .default(256)
    .describe(
      'minimum output tokens that credit must buy for a call to be made; credit that buys fewer counts as used up',
    ),
  AI_CONTEXT_TOKENS: positive
    .default(1_000_000)
    .describe('largest context window of the models in use: no request has more input tokens'),
  AI_EXAMPLE_NOK_PER_USD: rate.default(10).describe('exchange rate for the example prices, in NOK per USD'),
  AI_LEDGER_CONNECTIONS: positive
    .default(4)
    .describe('database connections for reservations and settlements, per process'),
  AI_RETRIES: nonNegative
    .default(2)
    .describe('further attempts to connect to the AI provider, as long as nothing was sent'),
};
