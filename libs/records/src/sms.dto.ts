import { ApiProperty } from '@nestjs/swagger';
import { SMS_MESSAGE_MAX, SMS_STATUSES, type SmsEncoding, type SmsRow, type SmsStatus } from '@domains/sms';

/** An SMS in the send log. */
export class SmsDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * The recipient.
   * @example '+4790000000'
   */
  @ApiProperty({ maxLength: 16 })
  to!: string;

  /**
   * The sender that the recipient sees; set by the operator.
   * @example 'Acme'
   */
  @ApiProperty({ maxLength: 16 })
  sender_id!: string;

  /**
   * The text; empty once the operator's retention time of texts is over.
   * @example 'Your order is ready'
   */
  @ApiProperty({ maxLength: SMS_MESSAGE_MAX })
  message!: string;

  /**
   * Status of the message: `accepted` by the gateway, `sent` to the network, `delivered` to the handset, `failed`, or
   * `unknown` if the gateway did not say whether it accepted the message. Check the log before you send an `unknown`
   * message again.
   */
  @ApiProperty({ enum: SMS_STATUSES, example: 'delivered' })
  status!: SmsStatus;

  /** The number of SMS that the text is sent as. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 1 })
  segments!: number;

  /** Character encoding of the message. */
  @ApiProperty({ enum: ['GSM-7', 'UCS-2'], example: 'GSM-7' })
  encoding!: SmsEncoding;

  /** Why the message failed, or why its outcome is unknown. */
  @ApiProperty({ type: String, nullable: true, example: null })
  error_code!: string | null;

  /** When you sent the message. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000000Z' })
  created_at!: string;

  /** When the status last changed. */
  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:03.000000Z' })
  updated_at!: string;

  /** When the handset received the message. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-20T12:00:03.000000Z' })
  delivered_at!: string | null;
}

/** Maps a message to its DTO. */
export function toSmsDto(row: SmsRow): SmsDto {
  return {
    id: row.id,
    to: row.recipient,
    sender_id: row.senderId,
    message: row.message,
    status: row.status,
    segments: row.segments,
    encoding: row.encoding,
    error_code: row.errorCode,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    delivered_at: row.deliveredAt,
  };
}
