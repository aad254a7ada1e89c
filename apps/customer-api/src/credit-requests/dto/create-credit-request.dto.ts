import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { IsAmount, IsText } from '@platform/http';

/** A wish for extra AI credit. */
export class CreateCreditRequestDto {
  /** How much, in NOK, with two decimals at most. The operator invoices it. */
  @ApiProperty({ type: 'number', minimum: 100, maximum: 50000, example: 1000 })
  @IsAmount({ min: 100, max: 50000 })
  amount_nok!: number;

  /** For the operator, such as a purchase order's number. */
  @ApiProperty({ required: false, example: 'PO 4711' })
  @ValidateIf(({ note }: CreateCreditRequestDto) => note !== undefined)
  @IsText({ max: 500 })
  note?: string;

  /** Your own name for the request. Sent again, it makes no second request: you get the first one back. */
  @ApiProperty({ required: false, example: 'topup-2026-11' })
  @ValidateIf(({ reference }: CreateCreditRequestDto) => reference !== undefined)
  @IsText({ min: 1, max: 120 })
  reference?: string;
}
