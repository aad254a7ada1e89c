import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index that alone tells who had the last word in a ticket: with the reply itself, each open ticket would cost a page of the table. */
export class LastReplies1763683205300 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index support_ticket_reply_last_idx on support_ticket_reply
         (customer_id, ticket_id, created_at desc, id desc) include (author) where not internal`,
    );
  }
}
