import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { SMS_STATUSES, type SmsStatus } from '@domains/sms';
import { IsOneOf, ListQueryDto } from '@platform/http';

/** Filters of the list of messages. */
export class SmsQueryDto extends ListQueryDto {
  /** Only messages with this status. */
  @ApiProperty({ required: false, enum: SMS_STATUSES })
  @IsOptional()
  @IsOneOf(SMS_STATUSES)
  status?: SmsStatus;
}
