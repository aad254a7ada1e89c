import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The API reads who its customer is in a billing source: whoever asks for a PDF must be its owner there, too. */
export class BillingAccountRead1763683820000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`grant select on billing_account to customer_api`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`revoke select on billing_account from customer_api`);
  }
}
