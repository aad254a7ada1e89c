import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { SMS_STATUSES, type SmsMessage, type SmsSettings, type SmsStatus } from '@domains/sms';
import {
  FieldRule,
  InboxPageDto,
  InboxQueryDto,
  IsOneOf,
  IsSearch,
  IsText,
  IsTrueOrFalse,
  IsId,
  IsWholeNumber,
  MayBeLeftOut,
  SortBy,
} from '@platform/http';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the log of SMS. */
export class SmsQueryDto extends InboxQueryDto {
  /** Only SMS of this customer. */
  @IsId()
  customer_id?: string;

  /** Only SMS with this status. */
  @ApiProperty({ required: false, enum: SMS_STATUSES })
  @IsOptional()
  @IsOneOf(SMS_STATUSES)
  status?: SmsStatus;

  /** A part of the recipient's number. */
  @IsSearch()
  search?: string;

  @SortBy(['created_at'], '-created_at')
  sort?: string;
}

/** A change of a customer's SMS settings; fields left out stay as they are, null is the service's default. */
export class ConfigureSmsDto {
  /** Whether the customer may send. */
  @MayBeLeftOut()
  @IsTrueOrFalse()
  @ApiProperty({ required: false, example: true })
  enabled?: boolean;

  /** The sender that recipients see. */
  @MayBeLeftOut()
  @IsText({ min: 1, max: 20 })
  @ApiProperty({ required: false, example: 'Fjordlys' })
  sender_id?: string;

  /** SMS per calendar day. */
  @ApiProperty({ required: false, nullable: true, type: 'integer', format: 'int32', minimum: 0 })
  @IsOptional()
  @IsWholeNumber({ min: 0 })
  daily_cap?: number | null;

  /** Parts of SMS per calendar day. */
  @ApiProperty({ required: false, nullable: true, type: 'integer', format: 'int32', minimum: 0 })
  @IsOptional()
  @IsWholeNumber({ min: 0 })
  daily_parts_cap?: number | null;

  /** Countries that SMS may be sent to (ISO 3166); empty for all. */
  @ApiProperty({
    required: false,
    nullable: true,
    type: 'array',
    items: { type: 'string', maxLength: 2 },
    maxItems: 300,
  })
  @IsOptional()
  @FieldRule((value) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string' && /^[A-Z]{2}$/.test(one))
      ? undefined
      : 'must be a list of country codes, such as NO',
  )
  countries?: string[] | null;
}

/** A customer's SMS settings; null is the service's default. */
export class SmsSettingsDto {
  @ApiProperty({ format: 'uuid' })
  customer_id!: string;

  /** @example true */
  enabled!: boolean;

  @ApiProperty({ type: String, nullable: true, maxLength: 20, example: 'Fjordlys' })
  sender_id!: string | null;

  @ApiProperty({ type: 'integer', format: 'int32', nullable: true })
  daily_cap!: number | null;

  @ApiProperty({ type: 'integer', format: 'int32', nullable: true })
  daily_parts_cap!: number | null;

  @ApiProperty({
    type: 'array',
    nullable: true,
    items: { type: 'string', maxLength: 2 },
    maxItems: 300,
    example: ['NO'],
  })
  countries!: string[] | null;
}

/** An SMS. */
export class SmsDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example '+4790000000' */
  @ApiProperty({ maxLength: 20 })
  recipient!: string;

  /** @example 'Fjordlys' */
  @ApiProperty({ maxLength: 20 })
  sender_id!: string;

  /** @example 'Your order has been sent' */
  @ApiProperty({ maxLength: 2000 })
  message!: string;

  @ApiProperty({ enum: SMS_STATUSES, example: 'delivered' })
  status!: SmsStatus;

  /** Why it failed, or why the outcome is unknown. */
  @ApiProperty({ type: String, nullable: true, maxLength: 100, example: null })
  error_code!: string | null;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  segments!: number;

  /** @example 'GSM-7' */
  @ApiProperty({ maxLength: 10 })
  encoding!: string;

  /** @example '46elks' */
  @ApiProperty({ maxLength: 50 })
  gateway!: string;

  @ApiProperty({ type: String, nullable: true, maxLength: 200, example: null })
  gateway_message_id!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  delivered_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

/** A page of SMS, the newest first. */
export class SmsPageDto extends InboxPageDto {
  @ApiProperty({ type: [SmsDto] })
  data!: SmsDto[];
}

/** Maps an SMS to its DTO. */
export function toSmsDto(sms: OfCustomer<SmsMessage>): SmsDto {
  return {
    id: sms.id,
    ...toOfCustomerDto(sms.customer),
    recipient: sms.recipient,
    sender_id: sms.senderId,
    message: sms.message,
    status: sms.status,
    error_code: sms.errorCode,
    segments: sms.segments,
    encoding: sms.encoding,
    gateway: sms.gateway,
    gateway_message_id: sms.gatewayMessageId,
    delivered_at: sms.deliveredAt && timeText(sms.deliveredAt),
    created_at: timeText(sms.createdAt),
    updated_at: timeText(sms.updatedAt),
  };
}

/** Maps settings to their DTO. @param settings undefined if SMS was never configured */
export function toSmsSettingsDto(customerId: string, settings: SmsSettings | undefined): SmsSettingsDto {
  return {
    customer_id: customerId,
    enabled: settings?.enabled ?? false,
    sender_id: settings?.senderId ?? null,
    daily_cap: settings?.dailyCap ?? null,
    daily_parts_cap: settings?.dailyPartsCap ?? null,
    countries: settings?.countries ?? null,
  };
}
