import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/**
 * A customer's AI balances, in NOK as decimal texts. They always equal the sums of the ledger and of the pending
 * reservations; only the database functions of this domain write them.
 */
@Entity('ai_account')
@Check('ai_account_balance_check', `least(included, purchased, reserved, included + purchased - reserved) >= 0`)
export class AiAccount {
  @ForeignKey('customer', 'id', { name: 'ai_account_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'ai_account_pk' })
  customerId!: string;

  /** The account's current month (`YYYY-MM`); `0000-00` before its first. */
  @Column('text', { default: '0000-00' })
  month!: string;

  /** Included credit that was granted for the month. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  monthGranted!: string;

  /** Usage charged in the month. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  monthUsage!: string;

  /** The part of the month's usage that included credit paid. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  monthIncludedUsage!: string;

  /** Remaining included credit. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  included!: string;

  /**
   * The part of the included credit that is carried over from an earlier month. Only the calls that had reserved it may
   * use it, and it expires with them.
   */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  carriedOver!: string;

  /** Remaining purchased credit. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  purchased!: string;

  /** Credit reserved by calls in progress. */
  @Column('numeric', { precision: 24, scale: 12, default: 0 })
  reserved!: string;

  /** Thresholds that the customer was told of in the month, in percent; 100: that the credit is used up. */
  @Column('smallint', { array: true, default: [] })
  toldThresholds!: number[];

  /** The usage of the month from which on a threshold may be passed; what it is then, is computed anew. */
  @Column('numeric', { default: 0 })
  nextThresholdAt!: string;

  /** Sequence number of the last ledger entry. */
  @Column('bigint', { default: 0 })
  ledgerSequence!: string;
}
