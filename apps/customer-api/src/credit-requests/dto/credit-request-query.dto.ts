import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { CREDIT_REQUEST_STATUSES, type CreditRequestStatus } from '@app/credit-requests';
import { IsOneOf, PageQueryDto } from '@app/http';

/** Which credit requests are asked for. */
export class CreditRequestQueryDto extends PageQueryDto {
  /** Only requests that stand so. */
  @ApiProperty({ required: false, enum: CREDIT_REQUEST_STATUSES })
  @IsOptional()
  @IsOneOf(CREDIT_REQUEST_STATUSES)
  status?: CreditRequestStatus;
}
