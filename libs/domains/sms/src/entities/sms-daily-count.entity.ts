import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/**
 * Number of messages that a customer has sent on a day. Counted in the transaction that logs the message, so it is
 * exact.
 */
@Entity('sms_daily_count')
export class SmsDailyCount {
  @ForeignKey('customer', 'id', { name: 'sms_daily_count_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sms_daily_count_pk' })
  customerId!: string;

  /** Calendar day in the billing time zone, `YYYY-MM-DD`. */
  @PrimaryColumn('date', { primaryKeyConstraintName: 'sms_daily_count_pk' })
  day!: string;

  @Column('integer')
  messages!: number;

  /** Parts (segments) of these messages. */
  @Column('integer', { default: 0 })
  parts!: number;
}
