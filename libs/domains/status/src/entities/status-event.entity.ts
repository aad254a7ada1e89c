import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Levels of a status, from best to worst. app.status_rank has the same order. */
export const STATUS_LEVELS = ['operational', 'maintenance', 'degraded', 'outage'] as const;
export type StatusLevel = (typeof STATUS_LEVELS)[number];

/** Something the operator announced about a customer's service. */
@Entity('status_event')
@ForeignKey('customer_service', ['customerId', 'serviceId'], ['customerId', 'id'], { name: 'status_event_service_fk' })
@Check('status_event_status_check', `status in ('operational', 'maintenance', 'degraded', 'outage')`)
@Check('status_event_period_check', 'ends_at >= starts_at')
@Index('status_event_service_idx', { synchronize: false })
@Index('status_event_begin_idx', { synchronize: false })
@Index('status_event_inbox_idx', { synchronize: false })
@Index('status_event_end_idx', ['endsAt'])
export class StatusEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'status_event_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'status_event_pk' })
  id!: string;

  @Column('integer')
  serviceId!: number;

  /** The id that events of several services share if they were announced at once. */
  @Column('uuid', { nullable: true })
  announcementId!: string | null;

  @Column('text')
  status!: StatusLevel;

  @Column('text')
  message!: string;

  @Column('timestamptz')
  startsAt!: Date;

  /** When the event ends or ended; null if that is not known. */
  @Column('timestamptz', { nullable: true })
  endsAt!: Date | null;

  /** Whether its customer was told of its begin by an event. */
  @Column('boolean', { default: false })
  beginTold!: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
