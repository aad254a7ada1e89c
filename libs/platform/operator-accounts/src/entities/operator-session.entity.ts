import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** How somebody logged in. */
export type LoginMethod = 'link' | 'passkey' | 'oidc';

/** A session of an account in a browser. Only the hash of its cookie is stored. */
@Entity('operator_session')
@Unique('operator_session_hash_key', ['tokenHash'])
@Index('operator_session_account_idx', { synchronize: false })
@Check('operator_session_method_check', `method in ('link', 'passkey', 'oidc')`)
export class OperatorSession {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'operator_session_pk' })
  id!: string;

  @ForeignKey('operator_account', 'id', { name: 'operator_session_account_fk' })
  @Column('uuid')
  accountId!: string;

  @Column('bytea')
  tokenHash!: Buffer;

  @Column('text')
  method!: LoginMethod;

  /** The browser that it was begun with: a cookie that another one sends was stolen. */
  @Column('text')
  userAgent!: string;

  /** The network that it was begun from. */
  @Column('text')
  network!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Whether the person was asked; false if an identity provider knew them from before. */
  @Column('boolean', { default: true })
  asked!: boolean;

  /** When it was last used, to the minute. */
  @Column('timestamptz', { default: () => 'now()' })
  lastSeenAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;
}
