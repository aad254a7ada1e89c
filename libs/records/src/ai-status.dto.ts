import { ApiProperty } from '@nestjs/swagger';
import type { AiStatus } from '@domains/ai';
import { jsonAmount } from '@platform/money';

/** Your AI credit and usage. All amounts in NOK. */
export class AiStatusDto {
  /** Whether AI is enabled for you. */
  enabled!: boolean;

  /** Remaining included credit of the month. It expires at the end of the month. */
  @ApiProperty({ type: 'number', minimum: 0, example: 412.5 })
  included_credit_remaining!: number;

  /** Remaining purchased credit. It does not expire. */
  @ApiProperty({ type: 'number', minimum: 0, example: 1000 })
  purchased_credit!: number;

  /** Included and purchased credit together. */
  @ApiProperty({ type: 'number', minimum: 0, example: 1412.5 })
  total_available_credit!: number;

  /**
   * Credit that messages in progress have reserved. It is part of `total_available_credit`. When a message is answered, the
   * part that it did not use becomes free.
   */
  @ApiProperty({ type: 'number', minimum: 0, example: 0.75 })
  reserved_credit!: number;

  /** The cost of your messages this month. */
  @ApiProperty({ type: 'number', minimum: 0, example: 87.5 })
  current_month_usage!: number;

  /**
   * The most that your messages can cost this month: the included credit of the month, plus the purchased credit that you
   * have used this month or still have. The operator can limit the included credit and the total.
   */
  @ApiProperty({ type: 'number', minimum: 0, example: 1500 })
  current_month_limit!: number;

  /** The month, in the operator's time zone. */
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$', maxLength: 7, example: '2026-11' })
  month!: string;
}

/** Maps a status to its DTO. */
export function toAiStatusDto(status: AiStatus): AiStatusDto {
  return {
    enabled: status.enabled,
    included_credit_remaining: jsonAmount(status.includedCreditRemaining),
    purchased_credit: jsonAmount(status.purchasedCredit),
    total_available_credit: jsonAmount(status.totalAvailableCredit),
    reserved_credit: jsonAmount(status.reservedCredit),
    current_month_usage: jsonAmount(status.currentMonthUsage),
    current_month_limit: jsonAmount(status.currentMonthLimit),
    month: status.month,
  };
}

/** An event about AI credit has the status of that moment, and the threshold that was passed. */
export type AiCreditRecord = AiStatus & { threshold: number | null };

/** Your AI credit when something happened to it. */
export class AiCreditDto extends AiStatusDto {
  /** The threshold that your usage passed, in percent of `current_month_limit`; null in events of another kind. */
  @ApiProperty({ type: 'integer', nullable: true, format: 'int32', minimum: 1, maximum: 99, example: 80 })
  threshold!: number | null;
}

/** Maps the record of an event about AI credit to its DTO. */
export function toAiCreditDto({ threshold, ...status }: AiCreditRecord): AiCreditDto {
  return Object.assign(toAiStatusDto(status), { threshold });
}
