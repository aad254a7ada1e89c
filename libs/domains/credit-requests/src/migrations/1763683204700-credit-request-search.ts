import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** Indexes of the requests of all customers by number and by parts of their texts, and of those that wait for a decision. */
export class CreditRequestSearch1763683204700 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index ai_credit_request_id_idx on ai_credit_request (id)`);
    await runner.query(
      `create index ai_credit_request_text_idx on ai_credit_request using gin (reference gin_trgm_ops, note gin_trgm_ops)`,
    );
    // With the amount, of which the sum is shown.
    await runner.query(
      `create index ai_credit_request_pending_idx on ai_credit_request (created_at desc, id desc) include (amount_nok)
       where status = 'pending'`,
    );
  }
}
