import type { MigrationInterface, QueryRunner } from 'typeorm';
import { distribute, secureCustomerTable } from './helpers';

/**
 * Every change of a customer's credit, in the order of the account's own counter. Entries are only added: nobody's role
 * may change or remove one, and a correction is a new entry. Kinds: 'monthly_included', 'usage', 'manual_adjustment',
 * 'invoice_topup', 'refund', 'expiry'.
 */
export class AiLedgerEntry1763683340000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ai_ledger_entry (
        customer_id uuid not null,
        sequence bigint not null,
        kind text not null,
        bucket text not null,
        amount numeric(24,12) not null,
        balance_after numeric(24,12) not null,
        month text not null,
        hold_id uuid,
        credit_request_id integer,
        invoice_id uuid,
        note text,
        actor text not null,
        created_at timestamptz not null,
        constraint ai_ledger_entry_pk primary key (customer_id, sequence),
        constraint ai_ledger_entry_account_fk foreign key (customer_id) references ai_account (customer_id)
      )`);
    await distribute(runner, 'ai_ledger_entry');
    await secureCustomerTable(runner, 'ai_ledger_entry', { apiMay: 'select, insert' });
    await runner.query(`revoke update, delete on ai_ledger_entry from account_operator`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ai_ledger_entry`);
  }
}
