import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The operator's settings for a customer's SMS. Without a row, SMS is disabled. */
@Entity('sms_settings')
@Check('sms_settings_sender_check', `sender_id is not null or not enabled`)
@Check('sms_settings_cap_check', `daily_cap >= 0`)
@Check('sms_settings_parts_cap_check', `daily_parts_cap >= 0`)
export class SmsSettings {
  @ForeignKey('customer', 'id', { name: 'sms_settings_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sms_settings_pk' })
  customerId!: string;

  @Column('boolean', { default: false })
  enabled!: boolean;

  /** The sender that recipients see. Customers cannot choose it. */
  @Column('text', { nullable: true })
  senderId!: string | null;

  /** Messages that the customer may send per calendar day; null: the service's default. */
  @Column('integer', { nullable: true })
  dailyCap!: number | null;

  /** Parts of messages that the customer may send per calendar day; null: the service's default. */
  @Column('integer', { nullable: true })
  dailyPartsCap!: number | null;

  /** Countries that the customer may send to (ISO 3166); empty: all countries, null: the service's default. */
  @Column('text', { array: true, nullable: true })
  countries!: string[] | null;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
