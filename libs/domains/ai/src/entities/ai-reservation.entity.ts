import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * State of a reservation: in progress, released, ended with an unknown outcome, ended for good because its customer was told that the
 * call is not charged, or charged after an unknown outcome. A settled reservation is deleted.
 */
export type ReservationState = 'pending' | 'released' | 'outcome_unknown' | 'not_charged' | 'settled_late';

/** The states of unpaid calls that the provider may bill. */
export const UNPAID_STATES = ['outcome_unknown', 'not_charged'] as const satisfies ReservationState[];

/**
 * Credit reserved for one call before the upstream is called. When the call is charged, its usage row replaces the
 * reservation.
 */
@Entity('ai_reservation')
@Index('ai_reservation_pending_idx', { synchronize: false })
@Index('ai_reservation_unknown_idx', { synchronize: false })
@Index('ai_reservation_unpaid_idx', { synchronize: false })
export class AiReservation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_reservation_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_reservation_pk' })
  id!: string;

  @Column('text', { default: 'pending' })
  state!: ReservationState;

  /** In NOK as a decimal text: the upper bound of the call's cost. */
  @Column('numeric', { precision: 24, scale: 12 })
  amount!: string;

  @Column('text')
  model!: string;

  /** From when the price is valid that the call is charged by. */
  @Column('timestamptz')
  priceValidFrom!: Date;

  /** Upper bound of the request's input tokens. */
  @Column('integer')
  inputTokensBound!: number;

  /** The `max_tokens` that the upstream was given: the caller's, or fewer if the credit buys no more. */
  @Column('integer')
  maxTokens!: number;

  /** When the reservation ends with an unknown outcome if it is still pending. */
  @Column('timestamptz')
  deadline!: Date;

  /** The account's month (`YYYY-MM`) at the time of the reservation. */
  @Column('text', { nullable: true })
  month!: string | null;

  /** The limit on included credit at the time of the reservation, in NOK as a decimal text. */
  @Column('numeric', { precision: 24, scale: 12, nullable: true })
  includedLimit!: string | null;

  /** The process that made the reservation and will end it. If the process dies, a call or a worker ends it. */
  @Column('uuid', { nullable: true })
  processId!: string | null;

  /** The id of the API request. */
  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('uuid', { nullable: true })
  tokenId!: string | null;

  /** Hash of the Idempotency-Key that the call was sent with. */
  @Column('bytea', { nullable: true })
  keyHash!: Buffer | null;

  /** Why it was released or ended with an unknown outcome. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  resolvedAt!: Date | null;
}
