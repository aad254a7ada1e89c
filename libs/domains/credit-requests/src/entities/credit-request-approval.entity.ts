import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CreditRequest } from './credit-request.entity';

/** The first approval of a request that needs a second person. The API's role cannot read it. */
@Entity('ai_credit_request_approval')
@ForeignKey(() => CreditRequest, ['customerId', 'creditRequestId'], ['customerId', 'id'], {
  name: 'ai_credit_request_approval_request_fk',
})
export class CreditRequestApproval {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_credit_request_approval_pk' })
  customerId!: string;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'ai_credit_request_approval_pk' })
  creditRequestId!: number;

  /** As the audit log names the person. */
  @Column('text')
  approvedBy!: string;

  @Column('timestamptz', { default: () => 'now()' })
  approvedAt!: Date;

  /** The number of the invoice, if this approval names one. */
  @Column('text', { nullable: true })
  invoiceNumber!: string | null;
}
