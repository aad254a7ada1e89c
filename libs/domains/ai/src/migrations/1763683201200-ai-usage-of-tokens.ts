import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** Index of a token's charges in their order: without it, those of a seldom used token are sought among all of its days. */
export class AiUsageOfTokens1763683201200 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index ai_usage_token_idx on ai_usage (customer_id, token_id, id)`);
  }
}
