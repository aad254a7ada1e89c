import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { secureCustomerTable } from '../schema/customer-table';
import { ForwardMigration } from '../schema/forward-migration';
import type { FunctionFile } from '../schema/functions';

/** How much each customer stores a day, and the function that bounds it. */
export class StoredBytesSchema1763683201100 extends ForwardMigration {
  override readonly tables = ['stored_bytes'];

  override readonly functions: FunctionFile[] = [
    {
      path: join(__dirname, '..', 'sql', 'stored-bytes.sql'),
      // The API's role may not reset a count.
      functions: {
        count_stored_bytes: {
          roles: ['customer_api'],
          asOperator: true,
          delegated: { table: 'stored_bytes', inTransactions: true },
        },
      },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table stored_bytes (
        customer_id uuid not null,
        day date not null,
        bytes bigint not null,
        constraint stored_bytes_pk primary key (customer_id, day)
      )`);
    await secureCustomerTable(runner, 'stored_bytes');
  }
}
