import { ApiProperty } from '@nestjs/swagger';
import { FieldRule, IsText } from '@platform/http';
import { E164, recipientFault, SMS_MESSAGE_MAX } from '@domains/sms';

/** An SMS to send. Who it comes from is fixed by the operator. */
export class SendSmsDto {
  /** The recipient in international format: a plus sign, the country code and the number, digits only. */
  @ApiProperty({ pattern: E164.source, maxLength: 16, example: '+4790000000' })
  @FieldRule(recipientFault)
  to!: string;

  /**
   * The text. It is split into several SMS when it does not fit one; characters outside GSM-7 make each hold less.
   * @example 'Your order is ready'
   */
  @IsText({ min: 1, max: SMS_MESSAGE_MAX })
  message!: string;
}
