import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** A customer of the operator, and the limits set for it; a null limit means the default. */
@Entity('customer')
@Unique('customer_number_key', ['customerNumber'])
@Index('customer_name_idx', { synchronize: false })
@Index('customer_inbox_idx', { synchronize: false })
@Index('customer_inbox_name_idx', { synchronize: false })
@Index('customer_inbox_number_idx', { synchronize: false })
@Index('customer_text_idx', { synchronize: false })
@Check(
  'customer_limits_check',
  'requests_per_minute >= 1 and ai_per_minute >= 1 and sms_per_minute >= 1 and pending_credit_requests >= 0',
)
export class Customer {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'customer_pk' })
  id!: string;

  @Column('text')
  name!: string;

  /** Norwegian organisation number, nine digits. */
  @Column('text')
  organizationNumber!: string;

  /** The operator's own number for the customer. */
  @Column('text')
  customerNumber!: string;

  @Column('text')
  email!: string;

  /** If false, all of the customer's tokens are refused. */
  @Column('boolean', { default: true })
  active!: boolean;

  @Column('integer', { nullable: true })
  requestsPerMinute!: number | null;

  @Column('integer', { nullable: true })
  aiPerMinute!: number | null;

  @Column('integer', { nullable: true })
  smsPerMinute!: number | null;

  @Column('integer', { nullable: true })
  pendingCreditRequests!: number | null;

  /** When the personal data was erased: the customer cannot be changed since. Null for all others. */
  @Column('timestamptz', { nullable: true })
  erasedAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
