import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration, type FunctionFile, secureCustomerTable } from '@platform/database';

/** Customers' requests for extra credit, and the operator's decisions. */
export class CreditRequestsSchema1763683200800 extends ForwardMigration {
  override readonly tables = ['ai_credit_request'];

  override readonly functions: FunctionFile[] = [
    {
      path: join(__dirname, '..', 'sql', 'create-credit-request.sql'),
      functions: { credit_request_record: {}, record_credit_request_event: {}, create_credit_request: {} },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ai_credit_request (
        customer_id uuid not null,
        id integer not null generated always as identity,
        amount_nok numeric(12,2) not null,
        note text,
        reference text,
        status text not null default 'pending',
        reason text,
        invoice_id uuid,
        decided_by text,
        decided_at timestamptz,
        created_at timestamptz not null,
        constraint ai_credit_request_pk primary key (customer_id, id),
        constraint ai_credit_request_reference_key unique (customer_id, reference),
        constraint ai_credit_request_customer_fk foreign key (customer_id) references customer (id),
        constraint ai_credit_request_status_check check (status in ('pending', 'approved', 'rejected')),
        constraint ai_credit_request_amount_check check (amount_nok between 100 and 50000),
        constraint ai_credit_request_decision_check check (
          (status = 'pending') = (decided_at is null) and (status = 'approved') = (invoice_id is not null))
      )`);
    await runner.query(
      `create index ai_credit_request_newest_idx on ai_credit_request (customer_id, created_at desc, id desc)`,
    );
    await runner.query(
      `create index ai_credit_request_status_idx on ai_credit_request (customer_id, status, created_at desc, id desc)`,
    );
    await secureCustomerTable(runner, 'ai_credit_request', { apiMay: 'select, insert' });
  }
}
