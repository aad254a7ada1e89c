import { ApiProperty } from '@nestjs/swagger';
import { isUUID, IsOptional } from 'class-validator';
import { FieldRule, IsText } from '@platform/http';
import { PeriodQueryDto } from './period-query.dto';

/** Which calls a list is of. */
export class UsageFilterQueryDto extends PeriodQueryDto {
  /** Only messages that were sent with this token, named by its id. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @FieldRule((value) => (typeof value === 'string' && isUUID(value) ? undefined : 'must be the id of a token, a UUID'))
  token_id?: string;

  /**
   * Only messages that this model answered.
   * @example 'claude-haiku-4-5'
   */
  @IsOptional()
  @IsText({ min: 1, max: 200 })
  model?: string;
}
