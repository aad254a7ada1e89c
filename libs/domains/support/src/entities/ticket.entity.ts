import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { TicketPriority, TicketStatus } from '../ticket-values';

/** A question or problem that a customer reported. */
@Entity('support_ticket')
@ForeignKey('customer_service', ['customerId', 'serviceId'], ['customerId', 'id'], {
  name: 'support_ticket_service_fk',
})
@Index('support_ticket_id_idx', ['id'])
@Index('support_ticket_newest_idx', { synchronize: false })
@Index('support_ticket_status_idx', { synchronize: false })
@Index('support_ticket_service_idx', { synchronize: false })
@Index('support_ticket_inbox_idx', { synchronize: false })
@Index('support_ticket_updated_idx', { synchronize: false })
@Index('support_ticket_open_idx', { synchronize: false })
@Index('support_ticket_urgency_idx', { synchronize: false })
@Index('support_ticket_priority_idx', { synchronize: false })
@Index('support_ticket_text_idx', { synchronize: false })
@Index('support_ticket_urgent_idx', { synchronize: false })
@Check('support_ticket_status_check', `status in ('open', 'pending', 'resolved', 'closed')`)
@Check('support_ticket_priority_check', `priority in ('low', 'normal', 'high', 'urgent')`)
export class Ticket {
  @ForeignKey('customer', 'id', { name: 'support_ticket_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'support_ticket_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'support_ticket_pk' })
  id!: string;

  @Column('text')
  title!: string;

  @Column('text')
  body!: string;

  @Column('text', { default: 'open' })
  status!: TicketStatus;

  @Column('text', { default: 'normal' })
  priority!: TicketPriority;

  /** The customer's service that the ticket is about. */
  @Column('integer', { nullable: true })
  serviceId!: number | null;

  /** Type of another resource that the ticket is about, in the customer's own terms. */
  @Column('text', { nullable: true })
  resourceType!: string | null;

  @Column('text', { nullable: true })
  resourceId!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
