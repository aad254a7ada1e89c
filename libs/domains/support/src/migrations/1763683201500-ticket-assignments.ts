import type { QueryRunner } from 'typeorm';
import { ForwardMigration, secureCustomerTable } from '@platform/database';

/** Whom of the operator's people a ticket is assigned to. A table of its own, on which the API's role has no right: customers never see it. */
export class TicketAssignments1763683201500 extends ForwardMigration {
  override readonly tables = ['support_ticket_assignment'];

  async up(runner: QueryRunner): Promise<void> {
    // Tickets are deleted by programs of former releases too, which know nothing of assignments.
    await runner.query(`
      create table support_ticket_assignment (
        customer_id uuid not null,
        ticket_id uuid not null,
        assignee text not null,
        assigned_at timestamptz not null default now(),
        constraint support_ticket_assignment_pk primary key (customer_id, ticket_id),
        constraint support_ticket_assignment_ticket_fk foreign key (customer_id, ticket_id) references support_ticket (customer_id, id) on delete cascade
      )`);
    await runner.query(
      `create index support_ticket_assignment_assignee_idx on support_ticket_assignment (lower(assignee))`,
    );
    await secureCustomerTable(runner, 'support_ticket_assignment');
  }
}
