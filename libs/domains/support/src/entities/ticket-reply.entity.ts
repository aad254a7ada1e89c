import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ReplyAuthor } from '../ticket-values';
import { Ticket } from './ticket.entity';

/** A reply in a ticket's thread, or an internal note that the customer never sees. */
@Entity('support_ticket_reply')
@Index('support_ticket_reply_thread_idx', ['customerId', 'ticketId', 'createdAt', 'id'])
@Index('support_ticket_reply_text_idx', { synchronize: false })
@Index('support_ticket_reply_last_idx', { synchronize: false })
@Check('support_ticket_reply_author_check', `author in ('customer', 'operator')`)
@Check('support_ticket_reply_internal_check', `author = 'operator' or not internal`)
@ForeignKey(() => Ticket, ['customerId', 'ticketId'], ['customerId', 'id'], {
  name: 'support_ticket_reply_ticket_fk',
})
export class TicketReply {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'support_ticket_reply_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'support_ticket_reply_pk' })
  id!: string;

  @Column('uuid')
  ticketId!: string;

  @Column('text')
  author!: ReplyAuthor;

  /** True for an internal note. The API's role cannot read such a row. */
  @Column('boolean', { default: false })
  internal!: boolean;

  @Column('text')
  body!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
