import type { MigrationInterface, QueryRunner } from 'typeorm';
import { distribute, exposeFunction, secureCustomerTable } from './helpers';

const REQUEST = 'app.ai_request_credit(uuid, timestamptz, numeric, text, text, integer, text, uuid)';

/**
 * Customers' requests for extra credit. The function that adds one holds the account's lock, so that requests with one
 * reference become one row and the cap on waiting requests is exact.
 */
export class AiCreditRequest1763683390000 implements MigrationInterface {
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
      `create index ai_credit_request_pending_idx on ai_credit_request (customer_id, created_at desc, id desc) where status = 'pending'`,
    );
    await distribute(runner, 'ai_credit_request');
    await secureCustomerTable(runner, 'ai_credit_request', { apiMay: 'select, insert' });

    await runner.query(`
      create function app.ai_request_credit(
        p_customer uuid, p_now timestamptz, p_amount numeric, p_note text, p_reference text, p_default_cap integer,
        p_actor text, p_audit_id uuid)
      returns table (outcome text, id integer)
      language plpgsql as $$
      #variable_conflict use_column
      declare
        request_id integer;
        waiting integer;
        cap integer;
      begin
        perform app.set_customer(p_customer);
        if not exists (select from ai_settings s where s.customer_id = p_customer and s.enabled) then
          return query select 'disabled', null::integer;
          return;
        end if;
        perform from ai_account a where a.customer_id = p_customer for no key update;
        select r.id into request_id from ai_credit_request r where r.customer_id = p_customer and r.reference = p_reference;
        if found then
          return query select 'existing', request_id;
          return;
        end if;
        select coalesce(c.pending_credit_requests, p_default_cap) into cap from customer c where c.id = p_customer;
        select count(*) into waiting from ai_credit_request r where r.customer_id = p_customer and r.status = 'pending';
        if waiting >= cap then
          return query select 'too_many', null::integer;
          return;
        end if;
        insert into ai_credit_request (customer_id, amount_nok, note, reference, created_at)
        values (p_customer, p_amount, p_note, p_reference, p_now)
        returning ai_credit_request.id into request_id;
        insert into audit_log (customer_id, id, actor, action, metadata, created_at)
        values (p_customer, p_audit_id, p_actor, 'credit-request.create',
                jsonb_build_object('credit_request_id', request_id, 'amount_nok', p_amount), p_now);
        return query select 'created', request_id;
      end $$`);
    await exposeFunction(runner, REQUEST);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${REQUEST}`);
    await runner.query(`drop table ai_credit_request`);
  }
}
