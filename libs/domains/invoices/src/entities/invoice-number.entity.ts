import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { InvoiceSource, InvoiceType } from '../invoice-values';

/**
 * A number that an invoice has: unique per issuing source, and company there, over all customers. Credit notes have separate
 * numbers, as sources count them separately. Never deleted, so that no number is used twice.
 */
@Entity('invoice_number')
@Check('invoice_number_source_check', `source in ('manual', 'stripe', 'fiken')`)
@Check('invoice_number_type_check', `type in ('invoice', 'credit_note')`)
export class InvoiceNumber {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'invoice_number_pk' })
  source!: InvoiceSource;

  /** The company at the source that issued it, if the source has several (Fiken); else empty. Each company counts for itself. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'invoice_number_pk', default: '' })
  company!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'invoice_number_pk' })
  type!: InvoiceType;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'invoice_number_pk' })
  number!: string;

  /** The source's own id of the document with this number. */
  @Column('text')
  sourceId!: string;
}
