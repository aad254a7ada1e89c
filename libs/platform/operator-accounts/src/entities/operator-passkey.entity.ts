import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** A passkey of an account: its public key. */
@Entity('operator_passkey')
@Unique('operator_passkey_credential_key', ['credentialId'])
@Index('operator_passkey_account_idx', ['accountId'])
export class OperatorPasskey {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'operator_passkey_pk' })
  id!: string;

  @ForeignKey('operator_account', 'id', { name: 'operator_passkey_account_fk' })
  @Column('uuid')
  accountId!: string;

  /** The authenticator's id of it, in base64url. */
  @Column('text')
  credentialId!: string;

  @Column('bytea')
  publicKey!: Buffer;

  /** The authenticator's count of its uses: one that goes back is a copy. */
  @Column('bigint', { default: 0 })
  counter!: string;

  @Column('text', { array: true })
  transports!: string[];

  /** The device, as its owner calls it. */
  @Column('text')
  name!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;
}
