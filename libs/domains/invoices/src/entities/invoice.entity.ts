import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { InvoiceSource, InvoiceStatus, InvoiceType } from '../invoice-values';

/** An invoice or credit note of a customer. Amounts are in the currency's minor unit. */
@Entity('invoice')
@Unique('invoice_source_key', ['customerId', 'source', 'sourceId'])
@Index('invoice_id_idx', ['id'])
@Index('invoice_newest_idx', { synchronize: false })
@Index('invoice_status_idx', { synchronize: false })
@Index('invoice_source_idx', ['source', 'sourceId'])
@Index('invoice_unsettled_idx', { synchronize: false })
@Index('invoice_inbox_idx', { synchronize: false })
@Index('invoice_due_idx', { synchronize: false })
@Index('invoice_number_text_idx', { synchronize: false })
@Check('invoice_source_check', `source in ('manual', 'stripe', 'fiken')`)
@Check('invoice_type_check', `type in ('invoice', 'credit_note')`)
@Check('invoice_status_check', `status in ('draft', 'open', 'paid', 'void', 'uncollectible')`)
@Check('invoice_currency_check', `currency ~ '^[A-Z]{3}$'`)
export class Invoice {
  @ForeignKey('customer', 'id', { name: 'invoice_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'invoice_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'invoice_pk' })
  id!: string;

  /** Where the invoice was issued. */
  @Column('text')
  source!: InvoiceSource;

  /** The source's own id; for a manual invoice a unique text, such as its number. */
  @Column('text')
  sourceId!: string;

  @Column('text', { default: 'invoice' })
  type!: InvoiceType;

  /** The number printed on the invoice. */
  @Column('text')
  number!: string;

  /** Drafts are stored so that their sync finds them again, and are not shown to customers. */
  @Column('text')
  status!: InvoiceStatus;

  /** ISO 4217, upper case. */
  @Column('text')
  currency!: string;

  /** The total in minor units. A string: the driver's form of a bigint. */
  @Column('bigint')
  amount!: string;

  /** The unpaid amount, in minor units. */
  @Column('bigint')
  amountDue!: string;

  /** `YYYY-MM-DD`. */
  @Column('date')
  issueDate!: string;

  @Column('date', { nullable: true })
  dueDate!: string | null;

  @Column('timestamptz', { nullable: true })
  paidAt!: Date | null;

  /** Norwegian payment reference. */
  @Column('text', { nullable: true })
  kid!: string | null;

  /** A link to the PDF that needs no credential. */
  @Column('text', { nullable: true })
  pdfUrl!: string | null;

  /** The name under which the source finds the PDF, which needs its credential. The API streams such a PDF. */
  @Column('text', { nullable: true })
  pdfReference!: string | null;

  /** A page of the source where the invoice can be viewed and paid. */
  @Column('text', { nullable: true })
  hostedUrl!: string | null;

  /** When the invoice was issued, which decides its position in the list. Later syncs change it for drafts only. */
  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  /** When a sync last found it in its source. */
  @Column('timestamptz', { nullable: true })
  syncedAt!: Date | null;
}
