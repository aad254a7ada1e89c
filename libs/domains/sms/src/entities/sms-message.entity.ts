import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { SmsErrorCode } from '../ports/sms-gateway.port';
import type { SmsEncoding, SmsStatus } from '../sms-values';

/** A message in a customer's send log. The row is stored before the gateway is called. */
@Entity('sms_message')
@Index('sms_message_status_idx', { synchronize: false })
@Index('sms_message_inbox_idx', { synchronize: false })
@Index('sms_message_unconfirmed_idx', { synchronize: false })
@Check('sms_message_status_check', `status in ('unknown', 'accepted', 'sent', 'failed', 'delivered')`)
@Check('sms_message_encoding_check', `encoding in ('GSM-7', 'UCS-2')`)
export class SmsMessage {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sms_message_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sms_message_pk' })
  id!: string;

  /** E.164, such as `+4790000000`. */
  @Column('text')
  recipient!: string;

  @Column('text')
  senderId!: string;

  @Column('text')
  message!: string;

  @Column('text', { default: 'unknown' })
  status!: SmsStatus;

  /** Number of parts (segments) of the message. */
  @Column('smallint')
  segments!: number;

  @Column('text')
  encoding!: SmsEncoding;

  /** The gateway that the message was sent through. */
  @Column('text')
  gateway!: string;

  /** The gateway's id of the message, once known. */
  @Column('text', { nullable: true })
  gatewayMessageId!: string | null;

  /** Why it failed, or why the outcome is unknown. */
  @Column('text', { nullable: true })
  errorCode!: SmsErrorCode | null;

  /** When the handset received it. */
  @Column('timestamptz', { nullable: true })
  deliveredAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
