import type { QueryRunner } from 'typeorm';
import { ForwardMigration, secureCustomerTable } from '@platform/database';

/** First approvals of requests that need two people, and the index of the requests of all customers. */
export class CreditRequestInbox1763683203100 extends ForwardMigration {
  override readonly tables = ['ai_credit_request_approval'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ai_credit_request_approval (
        customer_id uuid not null,
        credit_request_id integer not null,
        approved_by text not null,
        approved_at timestamptz not null default now(),
        constraint ai_credit_request_approval_pk primary key (customer_id, credit_request_id),
        constraint ai_credit_request_approval_request_fk foreign key (customer_id, credit_request_id)
          references ai_credit_request (customer_id, id)
      )`);
    await secureCustomerTable(runner, 'ai_credit_request_approval');
    await runner.query(
      `create index ai_credit_request_inbox_idx on ai_credit_request ((created_at at time zone 'UTC') desc, id desc)`,
    );
  }
}
