import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { FieldRule, IsOneOf, IsText, ListQueryDto, PageDto } from '@platform/http';
import { E164, recipientFault, SMS_MESSAGE_MAX, SMS_STATUSES, type SmsStatus } from '@domains/sms';
import { SmsDto } from '@records/sms.dto';

/** An SMS to send. The operator sets the sender. */
export class SendSmsDto {
  /** The recipient in international format: a plus sign, the country code and the number, without spaces. */
  @ApiProperty({ pattern: E164.source, maxLength: 16, example: '+4790000000' })
  @FieldRule(recipientFault)
  to!: string;

  /**
   * The text. A text that does not fit into one SMS is split into several. One SMS holds fewer characters if the text has
   * characters outside GSM-7. Emoji are refused where the operator's gateway cannot carry them.
   * @example 'Your order is ready'
   */
  @IsText({ min: 1, max: SMS_MESSAGE_MAX })
  message!: string;
}

/** Filters of the list of messages. */
export class SmsQueryDto extends ListQueryDto {
  /** Only messages with this status. */
  @ApiProperty({ required: false, enum: SMS_STATUSES })
  @IsOptional()
  @IsOneOf(SMS_STATUSES)
  status?: SmsStatus;
}

/** A page of the send log, newest first. */
export class SmsPageDto extends PageDto {
  /** The messages. */
  data!: SmsDto[];
}
