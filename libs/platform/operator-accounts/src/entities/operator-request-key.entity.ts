import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An Idempotency-Key of an account, with the reply of its request. */
@Entity('operator_request_key')
@Index('operator_request_key_created_idx', ['createdAt'])
export class OperatorRequestKey {
  /** Of the account and its key. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'operator_request_key_pk' })
  keyHash!: Buffer;

  /** Of the request: the same key with another one is refused. */
  @Column('bytea')
  fingerprint!: Buffer;

  /** Names the SECRETS_KEY that the reply is encrypted under; null until the request is done. */
  @Column('text', { nullable: true })
  secretsKey!: string | null;

  @Column('bytea', { nullable: true })
  reply!: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
