import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** Indexes of customers by age, name and number. */
export class CustomerInbox1763683203600 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index customer_inbox_idx on customer ((created_at at time zone 'UTC') desc, id desc)`);
    // As lists are ordered: by the first 200 characters.
    await runner.query(`create index customer_inbox_name_idx on customer (left(lower(name), 200), id)`);
    await runner.query(`create index customer_inbox_number_idx on customer (left(customer_number, 200), id)`);
  }
}
