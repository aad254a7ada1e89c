import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * How a reservation stands: in progress, released, given up because nobody knows how the call ended, or charged after it
 * had been given up.
 */
export type ReservationState = 'pending' | 'released' | 'outcome_unknown' | 'settled_late';

/** Credit reserved for one call before the upstream is called. When the call is charged its usage row takes its place. */
@Entity('ai_hold')
@Index('ai_hold_pending_idx', { synchronize: false })
@Index('ai_hold_unknown_idx', { synchronize: false })
export class AiReservation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_hold_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_hold_pk' })
  id!: string;

  @Column('text', { default: 'pending' })
  state!: ReservationState;

  /** In NOK as a decimal text: the most that the call was expected to cost. */
  @Column('numeric', { precision: 24, scale: 12 })
  amount!: string;

  @Column('text')
  model!: string;

  /** Which of the model's prices the call is charged by. */
  @Column('timestamptz')
  priceValidFrom!: Date;

  /** Most input tokens the request can have. */
  @Column('integer')
  inputTokensBound!: number;

  /** The `max_tokens` the upstream was given: the caller's, or fewer if the credit bought no more. */
  @Column('integer')
  maxTokens!: number;

  /** When the call is given up, if nothing was heard of it. */
  @Column('timestamptz')
  deadline!: Date;

  /** The account's month (`YYYY-MM`) when it was made. */
  @Column('text', { nullable: true })
  month!: string | null;

  /** The limit on included credit under which it was made, in NOK as a decimal text. */
  @Column('numeric', { precision: 24, scale: 12, nullable: true })
  includedLimit!: string | null;

  /** The process that made it and will resolve it; when it is gone, somebody else does. */
  @Column('uuid', { nullable: true })
  processId!: string | null;

  /** The request id of our own reply. */
  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('uuid', { nullable: true })
  tokenId!: string | null;

  /** Why it was released or given up. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  resolvedAt!: Date | null;
}
