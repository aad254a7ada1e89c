import { z } from 'zod';
import { address, nonNegative, positive, rate } from './types';

/** The AI gateway: months, upstream, bounds. */
export const ai = {
  BILLING_TIMEZONE: z
    .string()
    .default('Europe/Oslo')
    .refine((zone) => Intl.supportedValuesOf('timeZone').includes(zone) || zone === 'UTC', 'must be an IANA time zone')
    .describe('time zone of the calendar: months of AI credit, days of SMS limits, due dates of invoices'),
  ANTHROPIC_BASE_URL: address
    .optional()
    .describe(
      'base address of the Messages API; default https://api.anthropic.com, or the sandbox where one runs and no key is set',
    ),
  ANTHROPIC_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('service-wide key for customers without one of their own; secret'),
  AI_UPSTREAM_TIMEOUT_MS: positive
    .default(600_000)
    .describe('longest a call to the AI provider may take, connecting and reading included'),
  AI_UPSTREAM_SILENT_MS: positive
    .default(20_000)
    .describe(
      'time without a byte of a reply after which it is checked with a new connection whether there still is a way to the AI provider',
    ),
  AI_UPSTREAM_SLOW_MS: positive
    .default(60_000)
    .describe('age from which unanswered calls count as failures while the AI provider answers no other call either'),
  AI_UPSTREAM_CONNECTIONS: positive
    .default(1024)
    .describe(
      'calls to the AI provider at a time, per process; further ones are refused at once, and one customer alone may have half of them',
    ),
  AI_COUNT_TIMEOUT_MS: positive.default(10_000).describe('longest to wait for the AI provider to count tokens'),
  AI_RESERVATION_MARGIN_MS: positive
    .default(60_000)
    .describe(
      'time beyond AI_UPSTREAM_TIMEOUT_MS after which a pending reservation counts as abandoned; for half of it a settlement is tried again while the database is away, then for all of it its outcome is asked for',
    ),
  AI_RESERVATION_RETENTION_DAYS: positive
    .default(90)
    .describe('days that reservations are kept after their end, those of `ai unknown` too'),
  AI_DEFAULT_MAX_TOKENS: positive.default(4_096).describe('max_tokens of a message that names none'),
  AI_OUTPUT_TOKENS_LIMIT: positive
    .default(21_333)
    .describe(
      'largest max_tokens of a message that is not streamed; a larger one is lowered to it (the provider requires streaming above)',
    ),
  AI_STREAM_OUTPUT_TOKENS_LIMIT: positive
    .default(128_000)
    .describe('largest max_tokens of a streamed message sent to the provider; a larger one is lowered to it'),
  AI_STREAM_PATIENCE_MS: positive
    .default(60_000)
    .describe(
      'how long the client of a streamed message may hold it up in all by not reading; then it is disconnected, and the message is read to its end without it and charged',
    ),
  AI_OUTPUT_TOKENS_FLOOR: positive
    .default(256)
    .describe('fewest output tokens worth a call: credit that buys fewer counts as used up'),
  AI_CONTEXT_TOKENS: positive
    .default(1_000_000)
    .describe('largest context window of the models in use: no request has more input tokens'),
  AI_EXAMPLE_NOK_PER_USD: rate.default(10).describe('rate that converts the example prices'),
  AI_LEDGER_CONNECTIONS: positive
    .default(4)
    .describe('database connections for reservations and settlements, per process'),
  AI_RETRIES: nonNegative
    .default(2)
    .describe('further attempts to connect to the AI provider, before anything was sent'),
};
