import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the SMS without an outcome: those that are being sent, and those whose process died. */
export class UnconfirmedSms1763683205700 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index sms_message_unconfirmed_idx on sms_message (customer_id) where status = 'unknown' and error_code is null`,
    );
  }
}
