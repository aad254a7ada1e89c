import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Scope } from '../scopes';

/** A bearer token of a customer's system. The token itself is not stored. */
@Entity('service_token')
@Unique('service_token_hash_key', ['tokenHash'])
@Index('service_token_customer_idx', { synchronize: false })
@Index('service_token_rotated_from_idx', ['rotatedFrom'])
export class ServiceToken {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'service_token_pk' })
  id!: string;

  @ForeignKey('customer', 'id', { name: 'service_token_customer_fk' })
  @Column('uuid')
  customerId!: string;

  /** SHA-256 of the whole token. */
  @Column('bytea')
  tokenHash!: Buffer;

  @Column('text', { array: true })
  scopes!: Scope[];

  /** What the operator calls it, such as `ERP production`; the customer reads it in reports. */
  @Column('text', { nullable: true })
  name!: string | null;

  /** False once the operator has deactivated it. */
  @Column('boolean', { default: true })
  active!: boolean;

  @Column('timestamptz', { nullable: true })
  deactivatedAt!: Date | null;

  /** When it expires; null for never. */
  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  /** How many days before its expiry its customer was told of it last; null if it was not. */
  @Column('smallint', { nullable: true })
  expiryToldDays!: number | null;

  /** The token that this one replaced. */
  @ForeignKey(() => ServiceToken, 'id', { name: 'service_token_rotated_from_fk' })
  @Column('uuid', { nullable: true })
  rotatedFrom!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
