import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/**
 * A customer's AI balances, in NOK as decimal texts. They always equal the sums of the ledger and of the pending holds;
 * only the database functions of this domain write them.
 */
@Entity('ai_account')
@Check('ai_account_balance_check', `included >= 0 and purchased >= 0 and held >= 0 and held <= included + purchased`)
export class AiAccount {
  @ForeignKey('customer', 'id', { name: 'ai_account_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_account_pk' })
  customerId!: string;

  /** The month (`YYYY-MM`) the account is in; `0000-00` before its first. */
  @Column('text', { default: '0000-00' })
  month!: string;

  /** Included credit that was granted for the month. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  monthGranted!: string;

  /** Charged in the month. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  monthUsage!: string;

  /** The part of it that included credit paid. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  monthIncludedUsage!: string;

  /** Left of the included credit. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  included!: string;

  /** The part of it that is of an earlier month: for the calls alone that had reserved it, and expires with them. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  carriedOver!: string;

  /** Left of the purchased credit. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  purchased!: string;

  /** Reserved by calls in progress. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  held!: string;

  /** Number of the last ledger entry. */
  @Column('bigint', { default: 0 })
  ledgerSequence!: string;
}
