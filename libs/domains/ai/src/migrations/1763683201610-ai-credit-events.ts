import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The thresholds of used credit that customers are told of, and which they were told of in the account's month. */
export class AiCreditEvents1763683201610 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table ai_settings add column credit_thresholds smallint[],
        add constraint ai_settings_thresholds_check check (
          cardinality(credit_thresholds) between 1 and 5 and 1 <= all (credit_thresholds) and 99 >= all (credit_thresholds))`);
    // Without a precision: infinity means that nothing is left to be told of.
    await runner.query(`
      alter table ai_account add column told_thresholds smallint[] not null default '{}',
        add column next_threshold_at numeric not null default 0`);
  }
}
