import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Ticket } from './ticket.entity';

/** Whom of the operator's people a ticket is assigned to. The API's role cannot read it. */
@Entity('support_ticket_assignment')
@Index('support_ticket_assignment_assignee_idx', { synchronize: false })
@ForeignKey(() => Ticket, ['customerId', 'ticketId'], ['customerId', 'id'], {
  name: 'support_ticket_assignment_ticket_fk',
  onDelete: 'CASCADE',
})
export class TicketAssignment {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'support_ticket_assignment_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'support_ticket_assignment_pk' })
  ticketId!: string;

  /** The person's name, as `--as` and the audit log have it. */
  @Column('text')
  assignee!: string;

  @Column('timestamptz', { default: () => 'now()' })
  assignedAt!: Date;
}
