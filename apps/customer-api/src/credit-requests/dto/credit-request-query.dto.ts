import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { CREDIT_REQUEST_STATUSES, type CreditRequestStatus } from '@app/credit-requests';
import { PageQueryDto } from '@app/http';

/** Which credit requests are asked for. */
export class CreditRequestQueryDto extends PageQueryDto {
  /** Only requests that stand so. */
  @ApiProperty({ required: false, enum: CREDIT_REQUEST_STATUSES })
  @IsOptional()
  @IsIn(CREDIT_REQUEST_STATUSES, { message: `status must be one of ${CREDIT_REQUEST_STATUSES.join(', ')}` })
  status?: CreditRequestStatus;
}
