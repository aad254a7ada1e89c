import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Whether the key's request is in progress, is done, or had no effect. */
export type IdempotencyKeyState = 'in_progress' | 'done' | 'free';

/** A customer's Idempotency-Key, and the reply that is sent again. Nothing of the key itself but its hash. */
@Entity('idempotency_key')
@Index('idempotency_key_age_idx', { synchronize: false })
@Index('idempotency_key_overdue_idx', { synchronize: false })
@Check('idempotency_key_state_check', `state in ('in_progress', 'done', 'free')`)
export class IdempotencyKey {
  @ForeignKey('customer', 'id', { name: 'idempotency_key_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'idempotency_key_pk' })
  customerId!: string;

  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'idempotency_key_pk' })
  keyHash!: Buffer;

  /** Of method, path and body of the request. */
  @Column('bytea')
  fingerprint!: Buffer;

  @Column('text', { default: 'in_progress' })
  state!: IdempotencyKeyState;

  /** What the request made: the reservation of an AI message, the SMS. Null where it is made together with the reply. */
  @Column('uuid', { nullable: true })
  effectId!: string | null;

  /** When the key is completed with the reply that it has, if it is still in progress. */
  @Column('timestamptz', { nullable: true })
  deadline!: Date | null;

  /** Names the SECRETS_KEY that the reply is encrypted under. */
  @Column('text', { nullable: true })
  secretsKey!: string | null;

  /** The reply, compressed and encrypted. Null in a key that is done: it was too large to be kept. */
  @Column('bytea', { nullable: true })
  reply!: Buffer | null;

  /** When the key was claimed. */
  @Column('timestamptz')
  createdAt!: Date;
}
