import { ApiProperty } from '@nestjs/swagger';
import { FieldRule, IsText } from '@platform/http';
import { E164, recipientFault, SMS_MESSAGE_MAX } from '@domains/sms';

/** An SMS to send. The operator sets the sender. */
export class SendSmsDto {
  /** The recipient in international format: a plus sign, the country code and the number, digits only. */
  @ApiProperty({ pattern: E164.source, maxLength: 16, example: '+4790000000' })
  @FieldRule(recipientFault)
  to!: string;

  /**
   * The text. A longer text is split into several SMS; each holds fewer characters if the text has characters outside
   * GSM-7.
   * @example 'Your order is ready'
   */
  @IsText({ min: 1, max: SMS_MESSAGE_MAX })
  message!: string;
}
