import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The states of a delivery: to be sent (again), answered with 2xx, given up, and not sent because the endpoint was disabled.
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'missed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** An event on its way to an endpoint. The outbox: made in the transaction that gives the event its position. */
@Entity('webhook_delivery')
@Index('webhook_delivery_endpoint_idx', { synchronize: false })
@Index('webhook_delivery_pending_idx', { synchronize: false })
@Check('webhook_delivery_state_check', `state in ('pending', 'delivered', 'failed', 'missed')`)
export class WebhookDelivery {
  /** The owner of the endpoint. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'webhook_delivery_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'webhook_delivery_pk' })
  id!: string;

  @Column('uuid')
  endpointId!: string;

  /** The customer whom the event concerns: the owner, unless that is the operator. */
  @Column('uuid')
  eventCustomerId!: string;

  @Column('uuid')
  eventId!: string;

  @Column('text', { default: 'pending' })
  state!: DeliveryState;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { nullable: true })
  nextAttemptAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastAttemptAt!: Date | null;

  /** The HTTP status of the last answer; null without one. */
  @Column('integer', { nullable: true })
  lastStatus!: number | null;

  /** Why the last attempt failed, in words for the owner. */
  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { nullable: true })
  deliveredAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;
}
