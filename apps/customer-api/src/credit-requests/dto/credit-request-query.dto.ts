import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { CREDIT_REQUEST_STATUSES, type CreditRequestStatus } from '@domains/credit-requests';
import { IsOneOf, ListQueryDto } from '@platform/http';

/** Filters of the list of credit requests. */
export class CreditRequestQueryDto extends ListQueryDto {
  /** Only requests with this status. */
  @ApiProperty({ required: false, enum: CREDIT_REQUEST_STATUSES })
  @IsOptional()
  @IsOneOf(CREDIT_REQUEST_STATUSES)
  status?: CreditRequestStatus;
}
