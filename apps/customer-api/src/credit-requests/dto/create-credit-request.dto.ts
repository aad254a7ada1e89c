import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { IsAmount, IsText } from '@platform/http';

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
   * one.
   */
  @ApiProperty({ required: false, example: 'topup-2026-11' })
  @ValidateIf(({ reference }: CreateCreditRequestDto) => reference !== undefined)
  @IsText({ min: 1, max: 120 })
  reference?: string;
}
