import { ApiProperty } from '@nestjs/swagger';
import { AiSettingsDto } from '../ai/ai-settings.dto';
import { UsageSumDto } from '../ai/ai-records.dto';
import { CustomerDto } from './customer.dto';

/** How many of a customer's records there are, counted to 10000. */
export class CustomerCountsDto {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 3 })
  services!: number;

  /** Tokens that are accepted. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 2 })
  active_tokens!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  pending_credit_requests!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  open_tickets!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  unanswered_tickets!: number;

  /** Invoices to be paid, in any currency; no credit notes. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  open_invoices!: number;

  /** Status events that have not ended. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  present_status_events!: number;
}

/** The limits that apply to a customer: its own, or those of the service. */
export class CustomerLimitsInForceDto {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 600 })
  requests_per_minute!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 120 })
  ai_per_minute!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 60 })
  sms_per_minute!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 5 })
  pending_credit_requests!: number;
}

/** A customer at a glance. */
export class CustomerOverviewDto {
  customer!: CustomerDto;

  limits_in_force!: CustomerLimitsInForceDto;

  /** Its AI settings and balances; null of a customer who was erased. */
  @ApiProperty({ type: AiSettingsDto, nullable: true })
  ai!: AiSettingsDto | null;

  /** AI calls of this month by day. */
  @ApiProperty({ type: [UsageSumDto], maxItems: 31 })
  usage_by_day!: UsageSumDto[];

  /** AI calls of this month by model. */
  @ApiProperty({ type: [UsageSumDto], maxItems: 200 })
  usage_by_model!: UsageSumDto[];

  /**
   * What it has not paid of its invoices, in NOK.
   * @example 1250.5
   */
  owed_nok!: number;

  /**
   * The part of it that is overdue.
   * @example 0
   */
  overdue_nok!: number;

  counts!: CustomerCountsDto;
}
