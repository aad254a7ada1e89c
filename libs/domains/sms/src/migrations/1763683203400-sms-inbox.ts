import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the SMS of all customers. */
export class SmsInbox1763683203400 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index sms_message_inbox_idx on sms_message ((created_at at time zone 'UTC') desc, id desc)`,
    );
  }
}
