import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { AccountingMonth, AiReservation, LedgerProblem } from '@domains/ai';
import { FieldRule, InboxPageDto, InboxQueryDto, IsQueryNumber, IsId, SortBy } from '@platform/http';
import { jsonAmount } from '@platform/money';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of calls with an unknown outcome. */
export class UnknownOutcomeQueryDto extends InboxQueryDto {
  /** Only calls of this customer. */
  @IsId()
  customer_id?: string;

  @SortBy(['resolved_at', 'amount'], '-resolved_at')
  sort?: string;
}

/** Filters of a month's sums. */
export class AccountingQueryDto {
  /** The month, in the billing time zone. */
  @FieldRule((value) =>
    typeof value === 'string' && /^2\d{3}-(0[1-9]|1[0-2])$/.test(value) ? undefined : 'must be a month as YYYY-MM',
  )
  @ApiProperty({ pattern: '^2\\d{3}-(0[1-9]|1[0-2])$', maxLength: 7, example: '2026-11' })
  month!: string;

  /** Only this customer. */
  @IsId()
  customer_id?: string;

  /** Customers at most, those that used most first. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 1, maximum: 200, default: 50 })
  @IsOptional()
  @IsQueryNumber({ min: 1, max: 200 })
  top: number = 50;
}

/** Filters of a verification. */
export class VerificationQueryDto {
  /** Only this customer's account. */
  @IsId()
  customer_id?: string;
}

/** A call with an unknown outcome: not charged, the provider may bill it. */
export class UnknownOutcomeDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ maxLength: 50, example: 'outcome_unknown' })
  state!: string;

  @ApiProperty({ maxLength: 200, example: 'claude-haiku-4-5' })
  model!: string;

  /**
   * What it can have cost at most, in NOK.
   * @example 0.42
   */
  amount!: number;

  @ApiProperty({ type: String, nullable: true, maxLength: 2000 })
  reason!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 128 })
  request_id!: string | null;

  @ApiProperty({ type: String, nullable: true, format: 'uuid' })
  token_id!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  resolved_at!: string | null;
}

/** A page of calls with an unknown outcome. */
export class UnknownOutcomePageDto extends InboxPageDto {
  @ApiProperty({ type: [UnknownOutcomeDto] })
  data!: UnknownOutcomeDto[];
}

/** A customer's sums of a month, in NOK. */
export class AccountingMonthDto extends OfCustomerDto {
  /** @example 5000 */
  topped_up!: number;

  /** @example 0 */
  refunded!: number;

  /** @example 0 */
  adjusted!: number;

  /** @example 12.5 */
  used_purchased!: number;

  /** @example 500 */
  used_included!: number;

  /** @example 500 */
  granted!: number;

  /** @example 0 */
  expired!: number;
}

/** The sums of a month. The total is that of all customers, whatever `top` is. */
export class AccountingDto {
  @ApiProperty({ type: [AccountingMonthDto], maxItems: 200 })
  data!: AccountingMonthDto[];

  /** Customers with entries in the month. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 240 })
  customers!: number;

  /** @example 5000 */
  topped_up!: number;

  /** @example 12.5 */
  used_purchased!: number;

  /** @example 500 */
  used_included!: number;
}

/** A difference between an account and its ledger. */
export class LedgerProblemDto {
  @ApiProperty({ format: 'uuid' })
  customer_id!: string;

  @ApiProperty({ maxLength: 500 })
  problem!: string;

  @ApiProperty({ type: String, nullable: true, maxLength: 500 })
  found!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 500 })
  expected!: string | null;
}

/** The result of a verification. */
export class VerificationDto {
  /** The number of accounts that were checked. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 240 })
  accounts!: number;

  /** The differences; none if all is well. */
  @ApiProperty({ type: [LedgerProblemDto], maxItems: 100_000, example: [] })
  problems!: LedgerProblemDto[];
}

/** Maps a call to its DTO. */
export function toUnknownOutcomeDto(call: OfCustomer<AiReservation>): UnknownOutcomeDto {
  return {
    id: call.id,
    ...toOfCustomerDto(call.customer),
    state: call.state,
    model: call.model,
    amount: jsonAmount(call.amount),
    reason: call.reason,
    request_id: call.requestId,
    token_id: call.tokenId,
    created_at: timeText(call.createdAt),
    resolved_at: call.resolvedAt && timeText(call.resolvedAt),
  };
}

/** Maps a month to its DTO. */
export function toAccountingMonthDto(month: OfCustomer<AccountingMonth>): AccountingMonthDto {
  return {
    ...toOfCustomerDto(month.customer),
    topped_up: jsonAmount(month.toppedUp),
    refunded: jsonAmount(month.refunded),
    adjusted: jsonAmount(month.adjusted),
    used_purchased: jsonAmount(month.usedPurchased),
    used_included: jsonAmount(month.usedIncluded),
    granted: jsonAmount(month.granted),
    expired: jsonAmount(month.expired),
  };
}

/** Maps a difference to its DTO. */
export function toLedgerProblemDto({ customerId, problem, found, expected }: LedgerProblem): LedgerProblemDto {
  return { customer_id: customerId, problem, found, expected };
}
