import { nonNegative } from './types';

/** How long rows are kept that are not dropped by month (`partitions.ts`). 0 keeps them for ever. */
export const retention = {
  SMS_TEXT_RETENTION_DAYS: nonNegative
    .default(0)
    .describe('days that texts of SMS are kept in the log, whose other details stay; 0 keeps them as long as the log'),
  TICKET_RETENTION_DAYS: nonNegative
    .default(0)
    .describe(
      'days that closed support tickets are kept after their last change, with their threads; 0 keeps them for ever',
    ),
  STATUS_EVENT_RETENTION_DAYS: nonNegative
    .default(0)
    .describe('days that status events are kept after their end; 0 keeps them for ever'),
};
