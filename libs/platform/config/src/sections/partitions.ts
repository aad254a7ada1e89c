import { z } from 'zod';
import { nonNegative, positive } from './types';

/** Months that are kept: none, or more than the two that the books of a month may still need. */
const retention = nonNegative.refine((months) => months === 0 || months >= 3, {
  error: 'must be 0, or a whole number of at least 3',
});

/** Partitions by month of the tables that grow without end, and how long their rows are kept. */
export const partitions = {
  PARTITION_MONTHS_AHEAD: positive
    .pipe(z.number().max(24, { error: 'must be a whole number from 1 to 24' }))
    .default(3)
    .describe('months for which the worker makes partitions ahead of time'),
  AI_USAGE_RETENTION_MONTHS: retention
    .default(0)
    .describe('whole months that the usage of AI calls is kept; 0 keeps it for ever'),
  AI_LEDGER_RETENTION_MONTHS: retention
    .default(0)
    .describe(
      'whole months that entries of the credit ledger are kept; balances are carried forward; 0 keeps them for ever',
    ),
  SMS_RETENTION_MONTHS: retention.default(0).describe('whole months that the SMS log is kept; 0 keeps it for ever'),
  AUDIT_RETENTION_MONTHS: retention.default(0).describe('whole months that the audit log is kept; 0 keeps it for ever'),
};
