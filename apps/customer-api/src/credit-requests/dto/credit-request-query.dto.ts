import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { CREDIT_REQUEST_STATUSES, type CreditRequestStatus } from '@domains/credit-requests';
import { IsOneOf, PageQueryDto } from '@platform/http';

/** Which credit requests are asked for. */
export class CreditRequestQueryDto extends PageQueryDto {
  /** Only requests that stand so. */
  @ApiProperty({ required: false, enum: CREDIT_REQUEST_STATUSES })
  @IsOptional()
  @IsOneOf(CREDIT_REQUEST_STATUSES)
  status?: CreditRequestStatus;
}
