import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventType } from '../event-types';

/**
 * The states of a delivery: to be sent (again), answered with 2xx, given up, and not sent because the endpoint was disabled,
 * its customer deactivated, or too much waited.
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'missed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Deliveries that one request or command queues again. */
export const REDELIVERED_AT_ONCE = 10_000;

/** The deliveries of an endpoint that were queued again. */
export interface Redelivered {
  /** Their number. */
  queued: number;
  /** Whether others are left: there were too many for once, or as much waits for the owner's endpoints as may. */
  more: boolean;
}

/** Seconds after which it may be asked again whether less waits than may: twice the time in which that is measured. */
export const QUEUE_FULL_SECONDS = 10;

/** The type of test deliveries. */
export const TEST_TYPE = 'webhook.test';
export type DeliveredType = EventType | typeof TEST_TYPE;

/** An event on its way to an endpoint. The outbox: made in the transaction that gives the event its position. */
@Entity('webhook_delivery')
@Index('webhook_delivery_inbox_idx', { synchronize: false })
@Index('webhook_delivery_endpoint_idx', { synchronize: false })
@Index('webhook_delivery_due_idx', { synchronize: false })
@Index('webhook_delivery_next_idx', { synchronize: false })
@Index('webhook_delivery_state_idx', { synchronize: false })
@Index('webhook_delivery_test_idx', { synchronize: false })
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

  /** That of the event; `webhook.test` for a test, which is no event of the log. */
  @Column('text')
  eventType!: DeliveredType;

  /** The size of the event's record. */
  @Column('integer', { default: 0 })
  bytes!: number;

  @Column('text', { default: 'pending' })
  state!: DeliveryState;

  /** Attempts since it was queued. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** When it was queued, the last time: it is tried for three days from then on. Of one that was missed, when that was. */
  @Column('timestamptz')
  queuedAt!: Date;

  @Column('timestamptz', { nullable: true })
  nextAttemptAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastAttemptAt!: Date | null;

  /** The HTTP status of the last answer; null without one. */
  @Column('integer', { nullable: true })
  lastStatus!: number | null;

  /** Why the last attempt had no answer, or none that counts: a code such as `timeout_total`. */
  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { nullable: true })
  deliveredAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;
}
