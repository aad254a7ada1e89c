import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The company at the source whose invoices an account's sync reads. Links from before get it with their next sync. */
export class BillingAccountCompany1763683205600 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table billing_account add column company text`);
  }
}
