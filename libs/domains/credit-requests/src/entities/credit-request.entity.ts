import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** The states of a request. */
export const CREDIT_REQUEST_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type CreditRequestStatus = (typeof CREDIT_REQUEST_STATUSES)[number];

/** A customer's request that the operator invoice extra AI credit. */
@Entity('ai_credit_request')
@Unique('ai_credit_request_reference_key', ['customerId', 'reference'])
@Index('ai_credit_request_newest_idx', { synchronize: false })
@Index('ai_credit_request_status_idx', { synchronize: false })
@Index('ai_credit_request_inbox_idx', { synchronize: false })
@Index('ai_credit_request_id_idx', ['id'])
@Index('ai_credit_request_text_idx', { synchronize: false })
@Index('ai_credit_request_pending_idx', { synchronize: false })
@Check('ai_credit_request_status_check', `status in ('pending', 'approved', 'rejected')`)
@Check('ai_credit_request_amount_check', `amount_nok between 100 and 50000`)
@Check(
  'ai_credit_request_decision_check',
  `(status = 'pending') = (decided_at is null) and (status = 'approved') = (invoice_id is not null)`,
)
export class CreditRequest {
  @ForeignKey('customer', 'id', { name: 'ai_credit_request_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_credit_request_pk' })
  customerId!: string;

  @PrimaryColumn('integer', {
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'ai_credit_request_pk',
  })
  id!: number;

  /** In NOK, as decimal text. */
  @Column('numeric', { precision: 12, scale: 2 })
  amountNok!: string;

  @Column('text', { nullable: true })
  note!: string | null;

  /** The customer's own id of the request, which makes it idempotent. */
  @Column('text', { nullable: true })
  reference!: string | null;

  @Column('text', { default: 'pending' })
  status!: CreditRequestStatus;

  /** Why it was rejected; the customer reads it. */
  @Column('text', { nullable: true })
  reason!: string | null;

  /** The invoice of the approved amount. */
  @Column('uuid', { nullable: true })
  invoiceId!: string | null;

  /** `operator:<name>`; not shown to the customer. */
  @Column('text', { nullable: true })
  decidedBy!: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;
}
