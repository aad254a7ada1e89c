import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** A link by which an account logs in once. Only the hash of its secret is stored. */
@Entity('operator_login_link')
@Unique('operator_login_link_hash_key', ['tokenHash'])
@Index('operator_login_link_account_idx', ['accountId'])
export class OperatorLoginLink {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'operator_login_link_pk' })
  id!: string;

  @ForeignKey('operator_account', 'id', { name: 'operator_login_link_account_fk' })
  @Column('uuid')
  accountId!: string;

  @Column('bytea')
  tokenHash!: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;
}
