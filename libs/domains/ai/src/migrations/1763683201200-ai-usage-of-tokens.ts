import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The charges of a token in their order: of one that is seldom used, all others of its days would be looked through. */
export class AiUsageOfTokens1763683201200 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index ai_usage_token_idx on ai_usage (customer_id, token_id, id)`);
  }
}
