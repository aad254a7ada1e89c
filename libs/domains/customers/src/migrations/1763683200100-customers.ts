import type { QueryRunner } from 'typeorm';
import { ForwardMigration, secureCustomerTable } from '@platform/database';

/** Customers, and the limits that the operator set for them. Rarely written: copied to every worker of a cluster. */
export class CustomersSchema1763683200100 extends ForwardMigration {
  override readonly tables = ['customer'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create sequence customer_number_seq start 100001`);
    await runner.query(`grant usage on sequence customer_number_seq to account_operator`);
    await runner.query(`
      create table customer (
        id uuid not null,
        name text not null,
        organization_number text not null,
        customer_number text not null,
        email text not null,
        active boolean not null default true,
        requests_per_minute integer,
        ai_per_minute integer,
        sms_per_minute integer,
        pending_credit_requests integer,
        erased_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint customer_pk primary key (id),
        constraint customer_number_key unique (customer_number),
        constraint customer_limits_check check (
          requests_per_minute >= 1 and ai_per_minute >= 1 and sms_per_minute >= 1 and pending_credit_requests >= 0)
      )`);
    // The operator calls customers by name.
    await runner.query(`create index customer_name_idx on customer (lower(name))`);
    await secureCustomerTable(runner, 'customer', { customerColumn: 'id', apiMay: 'select' });
  }
}
