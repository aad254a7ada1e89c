import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of parts of customers' numbers and names, and of their organisation numbers and e-mail addresses. */
export class CustomerSearch1763683204600 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index customer_text_idx on customer using gin
         ((customer_number || ' ' || name) gin_trgm_ops, (organization_number || ' ' || email) gin_trgm_ops)`,
    );
  }
}
