import { ApiProperty } from '@nestjs/swagger';
import type { AiOverviewView } from '@domains/credit-requests';
import { CreditRequestDto, toCreditRequestDto } from '../../credit-requests/dto/credit-request.dto';

/** Where you stand with AI. All amounts in NOK. */
export class AiStatusDto {
  /** Whether AI is enabled for you. */
  enabled!: boolean;

  /** What is left of the credit that the month includes. It expires with the month. */
  @ApiProperty({ type: 'number', minimum: 0, example: 412.5 })
  included_credit_remaining!: number;

  /** What is left of the extra credit that you bought. It does not expire. */
  @ApiProperty({ type: 'number', minimum: 0, example: 1000 })
  purchased_credit!: number;

  /** Included and purchased credit together. */
  @ApiProperty({ type: 'number', minimum: 0, example: 1412.5 })
  total_available_credit!: number;

  /** Reserved by messages in progress, and part of the above; what they do not use is free again when they are answered. */
  @ApiProperty({ type: 'number', minimum: 0, example: 0.75 })
  reserved_credit!: number;

  /** What your messages cost this month. */
  @ApiProperty({ type: 'number', minimum: 0, example: 87.5 })
  current_month_usage!: number;

  /**
   * The most they may cost this month: what the month includes, or the operator's limit on it where that is lower, and the
   * purchased credit that you used this month or have left. The operator may have set a lower limit on all of it.
   */
  @ApiProperty({ type: 'number', minimum: 0, example: 1500 })
  current_month_limit!: number;

  /** The month, in the operator's time zone. */
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$', maxLength: 7, example: '2026-11' })
  month!: string;
}

/** Your AI status and the credit requests that wait for the operator, as of one moment. */
export class AiOverviewDto {
  /** Where you stand. */
  ai!: AiStatusDto;

  /** Credit requests that the operator has not decided yet, newest first. */
  pending_credit_requests!: CreditRequestDto[];
}

/** The overview as it is sent. */
export function toAiOverviewDto({ status, pending }: AiOverviewView): AiOverviewDto {
  return {
    ai: {
      enabled: status.enabled,
      included_credit_remaining: status.includedCreditRemaining,
      purchased_credit: status.purchasedCredit,
      total_available_credit: status.totalAvailableCredit,
      reserved_credit: status.reservedCredit,
      current_month_usage: status.currentMonthUsage,
      current_month_limit: status.currentMonthLimit,
      month: status.month,
    },
    pending_credit_requests: pending.map(toCreditRequestDto),
  };
}
