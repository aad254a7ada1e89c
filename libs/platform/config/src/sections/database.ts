import { z } from 'zod';
import { daysOrNone, milliseconds, positive, wholeNumber } from './types';

const KEPT_MONTHS = 'must be 0, or a whole number from 3 to 1200';

/** A number of whole months: 0 for all, else more than the two that the books of a month may still need. */
const keptMonths = wholeNumber(0, 1200, KEPT_MONTHS).refine((months) => months === 0 || months >= 3, {
  error: KEPT_MONTHS,
});

/** PostgreSQL (15 or later), how long it keeps rows, and Redis/Valkey. */
export const database = {
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// address')
    .optional()
    .describe('PostgreSQL to use; default: the database of the running npm start'),
  DATABASE_POOL_SIZE: positive.default(10).describe('connections for writes and transactions, per process'),
  DATABASE_PIPELINES: positive
    .default(2)
    .describe('pipelined connections shared by single statements and reads, per process'),
  DATABASE_STATEMENT_TIMEOUT_MS: milliseconds.default(5000).describe('maximum time of a statement'),

  // Growing tables have a partition for each month; the worker drops old ones.
  PARTITION_MONTHS_AHEAD: wholeNumber(1, 24)
    .default(3)
    .describe('months for which the worker makes partitions ahead of time, 1 to 24'),
  AI_USAGE_RETENTION_MONTHS: keptMonths
    .default(0)
    .describe('whole months that the usage of AI calls is kept, at least 3; 0 keeps it for ever'),
  AI_LEDGER_RETENTION_MONTHS: keptMonths
    .default(0)
    .describe(
      'whole months that entries of the credit ledger are kept, at least 3; balances are carried forward. 0 keeps the entries for ever',
    ),
  SMS_RETENTION_MONTHS: keptMonths
    .default(0)
    .describe('whole months that the SMS log is kept, at least 3; 0 keeps it for ever'),
  AUDIT_RETENTION_MONTHS: keptMonths
    .default(0)
    .describe('whole months that the audit log is kept, at least 3; 0 keeps it for ever'),

  // Rows of other tables, which the worker deletes one by one.
  SMS_TEXT_RETENTION_DAYS: daysOrNone
    .default(0)
    .describe(
      'days that the texts of SMS are kept in the log; their other details stay. 0 keeps the texts as long as the log',
    ),
  TICKET_RETENTION_DAYS: daysOrNone
    .default(0)
    .describe(
      'days that closed support tickets are kept after their last change, with their threads; 0 keeps them for ever',
    ),
  STATUS_EVENT_RETENTION_DAYS: daysOrNone
    .default(0)
    .describe('days that status events are kept after their end; 0 keeps them for ever'),
  REFUSAL_RETENTION_DAYS: daysOrNone
    .default(14)
    .describe('days that refused requests are kept, for `operator request`; 0 keeps none'),

  REDIS_URL: z
    .string()
    .regex(/^(rediss?|valkeys?):\/\//, 'must be a redis:// address')
    // The driver knows the names of Redis alone.
    .transform((url) => url.replace(/^valkey/, 'redis'))
    .optional()
    .describe('Redis or Valkey that shares rate limit counts between replicas; default: counts are per process'),
};
