import { ApiProperty } from '@nestjs/swagger';
import { IsNumber, Max, Min, ValidateIf } from 'class-validator';
import { IsText } from '@app/http';

/** A wish for extra AI credit (specification §2). */
export class CreateCreditRequestDto {
  /** How much, in NOK, to the øre. The operator invoices it. */
  @ApiProperty({ type: 'number', minimum: 100, maximum: 50000, multipleOf: 0.01, example: 1000 })
  @Max(50000, { message: 'amount_nok must be from 100 to 50000' })
  @Min(100, { message: 'amount_nok must be from 100 to 50000' })
  @IsNumber({ maxDecimalPlaces: 2 }, { message: 'amount_nok must be a number with two decimals at most' })
  amount_nok!: number;

  /** For the operator, such as a purchase order's number. */
  @ApiProperty({ required: false, example: 'PO 4711' })
  @ValidateIf(({ note }: CreateCreditRequestDto) => note !== undefined)
  @IsText({ max: 500 })
  note?: string;

  /** Your own name for the request. Sent again, it makes no second request: you get the first one back. */
  @ApiProperty({ required: false, example: 'topup-2026-11' })
  @ValidateIf(({ reference }: CreateCreditRequestDto) => reference !== undefined)
  @IsText({ max: 120 })
  reference?: string;
}
