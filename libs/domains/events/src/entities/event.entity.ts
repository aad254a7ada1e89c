import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventType } from '../event-types';

/** What happened, written in the transaction that caused it: it exists exactly if what it tells happened. */
@Entity('event')
@Index('event_position_idx', ['customerId', 'position'])
@Index('event_unsequenced_idx', { synchronize: false })
@Index('event_inbox_idx', { synchronize: false })
export class EventEntity {
  /** The customer whom it concerns; {@link NO_CUSTOMER} for an event of the operator's own systems. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'event_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'event_pk' })
  id!: string;

  @Column('text')
  type!: EventType;

  /** The id of the record that it is about, as the API names it, such as `{"id": 17}`: who may not read the record gets this. */
  @Column('json')
  reference!: Record<string, unknown>;

  /** The record at that time, in the form in which its domain reads it; null if it is too large, or is not to be seen any more. */
  @Column('json', { nullable: true })
  record!: unknown;

  /** True for events that only the operator's endpoints get. */
  @Column('boolean', { default: false })
  operatorOnly!: boolean;

  /** The place in the customer's log, given after the commit ({@link EventPosition}); null until then. */
  @Column('bigint', { nullable: true })
  position!: string | null;

  @Column('timestamptz')
  createdAt!: Date;
}
