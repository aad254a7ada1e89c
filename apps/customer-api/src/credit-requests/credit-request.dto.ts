import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, ValidateIf } from 'class-validator';
import { CREDIT_REQUEST_STATUSES, type CreditRequestStatus } from '@domains/credit-requests';
import { IsAmount, IsOneOf, IsText, ListQueryDto, PageDto } from '@platform/http';
import { CreditRequestDto } from '@records/credit-request.dto';

/** Filters of the list of credit requests. */
export class CreditRequestQueryDto extends ListQueryDto {
  /** Only requests with this status. */
  @ApiProperty({ required: false, enum: CREDIT_REQUEST_STATUSES })
  @IsOptional()
  @IsOneOf(CREDIT_REQUEST_STATUSES)
  status?: CreditRequestStatus;
}

/** A request for purchased AI credit. */
export class CreateCreditRequestDto {
  /** The amount, in NOK, with two decimals at most. The operator invoices it. */
  @ApiProperty({ type: 'number', minimum: 100, maximum: 50000, example: 1000 })
  @IsAmount({ min: 100, max: 50000 })
  amount_nok!: number;

  /** A note for the operator, such as a purchase order number. */
  @ApiProperty({ required: false, example: 'PO 4711' })
  @ValidateIf(({ note }: CreateCreditRequestDto) => note !== undefined)
  @IsText({ max: 500 })
  note?: string;

  /**
   * Your own id of the request, which makes it idempotent: a second request with the same reference returns the first
   * request.
   */
  @ApiProperty({ required: false, example: 'topup-2026-11' })
  @ValidateIf(({ reference }: CreateCreditRequestDto) => reference !== undefined)
  @IsText({ min: 1, max: 120 })
  reference?: string;
}

/** A page of your credit requests, newest first. */
export class CreditRequestPageDto extends PageDto {
  /** The requests. */
  data!: CreditRequestDto[];
}
