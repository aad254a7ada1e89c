import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** What the operator allows a customer to send. Without a row, nothing. */
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

  /** What recipients see the message come from. Never the customer's to choose. */
  @Column('text', { nullable: true })
  senderId!: string | null;

  /** Messages the customer may send per calendar day; default: the service's. */
  @Column('integer', { nullable: true })
  dailyCap!: number | null;

  /** Parts of messages the customer may send per calendar day; default: the service's. */
  @Column('integer', { nullable: true })
  dailyPartsCap!: number | null;

  /** Countries the customer may send to (ISO 3166); none means all, null the service's. */
  @Column('text', { array: true, nullable: true })
  countries!: string[] | null;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
