import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { type Customer, CUSTOMER_NAME_MAX, CUSTOMER_NUMBER_MAX } from '@domains/customers';
import {
  InboxPageDto,
  InboxQueryDto,
  IsOneOf,
  IsSearch,
  IsText,
  IsWholeNumber,
  MayBeLeftOut,
  SortBy,
} from '@platform/http';
import { timeText } from '@platform/time';
import type { Fields } from './of-customer.dto';

const STATES = ['active', 'inactive'] as const;

/** Filters of the list of customers. */
export class CustomerQueryDto extends InboxQueryDto {
  /** A part of the name, number, organisation number or e-mail address; or the fingerprint of a token (12 hexadecimal digits). */
  @IsSearch()
  search?: string;

  /** Only customers in this state. */
  @ApiProperty({ required: false, enum: STATES })
  @IsOptional()
  @IsOneOf(STATES)
  state?: (typeof STATES)[number];

  @SortBy(['created_at', 'name', 'customer_number'], '-created_at')
  sort?: string;
}

/** A new customer. */
export class CreateCustomerDto {
  /**
   * Name of the company.
   * @example 'Fjordlys AS'
   */
  @IsText({ min: 1, max: CUSTOMER_NAME_MAX })
  name!: string;

  /**
   * Norwegian organisation number, nine digits.
   * @example '974760673'
   */
  @IsText({ min: 9, max: 9 })
  organization_number!: string;

  /**
   * Address that the operator writes to.
   * @example 'it@fjordlys.example'
   */
  @IsText({ min: 3, max: 254 })
  email!: string;

  /** A number of your own; the next free one if left out. */
  @IsOptional()
  @IsText({ min: 1, max: CUSTOMER_NUMBER_MAX })
  @ApiProperty({ type: String, required: false, nullable: true })
  customer_number?: string | null;
}

/** A correction of a customer's details; fields left out stay as they are. */
export class ChangeCustomerDto {
  /** Name of the company. */
  @MayBeLeftOut()
  @IsText({ min: 1, max: CUSTOMER_NAME_MAX })
  @ApiProperty({ required: false, example: 'Fjordlys Drift AS' })
  name?: string;

  /** Norwegian organisation number, nine digits. */
  @MayBeLeftOut()
  @IsText({ min: 9, max: 9 })
  @ApiProperty({ required: false })
  organization_number?: string;

  /** Address that the operator writes to. */
  @MayBeLeftOut()
  @IsText({ min: 3, max: 254 })
  @ApiProperty({ required: false })
  email?: string;
}

/** Limits of a customer; null is the default. Fields left out stay as they are. */
export class ChangeCustomerLimitsDto {
  /** Requests per minute on all routes. */
  @ApiProperty({ required: false, nullable: true, type: 'integer', format: 'int32', minimum: 1, example: 1200 })
  @IsOptional()
  @IsWholeNumber()
  requests_per_minute?: number | null;

  /** AI messages per minute. */
  @ApiProperty({ required: false, nullable: true, type: 'integer', format: 'int32', minimum: 1 })
  @IsOptional()
  @IsWholeNumber()
  ai_per_minute?: number | null;

  /** SMS per minute. */
  @ApiProperty({ required: false, nullable: true, type: 'integer', format: 'int32', minimum: 1 })
  @IsOptional()
  @IsWholeNumber()
  sms_per_minute?: number | null;

  /** Credit requests that may be pending. */
  @ApiProperty({ required: false, nullable: true, type: 'integer', format: 'int32', minimum: 0 })
  @IsOptional()
  @IsWholeNumber()
  pending_credit_requests?: number | null;
}

/** Limits of a customer; null is the default. */
export class CustomerLimitsDto {
  @ApiProperty({ type: 'integer', format: 'int32', nullable: true, example: 1200 })
  requests_per_minute!: number | null;

  @ApiProperty({ type: 'integer', format: 'int32', nullable: true })
  ai_per_minute!: number | null;

  @ApiProperty({ type: 'integer', format: 'int32', nullable: true })
  sms_per_minute!: number | null;

  @ApiProperty({ type: 'integer', format: 'int32', nullable: true })
  pending_credit_requests!: number | null;
}

/** A customer. */
export class CustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example '100001' */
  @ApiProperty({ maxLength: 100 })
  customer_number!: string;

  /** @example 'Fjordlys AS' */
  @ApiProperty({ maxLength: 500 })
  name!: string;

  /**
   * Norwegian organisation number; empty for a customer who was erased and is in no books.
   * @example '974760673'
   */
  @ApiProperty({ maxLength: 9 })
  organization_number!: string;

  /** @example 'it@fjordlys.example' */
  @ApiProperty({ maxLength: 254 })
  email!: string;

  /**
   * If false, all its tokens are refused.
   * @example true
   */
  active!: boolean;

  limits!: CustomerLimitsDto;

  /** When its personal data was erased; it cannot be changed since. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  erased_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

/** A customer in the list. */
export class ListedCustomerDto extends CustomerDto {
  /**
   * AI credit that it has used this month, in NOK.
   * @example 112.5
   */
  ai_spent_this_month_nok!: number;
}

/** A page of customers. */
export class CustomerPageDto extends InboxPageDto {
  @ApiProperty({ type: [ListedCustomerDto] })
  data!: ListedCustomerDto[];
}

/** Maps a customer to its DTO. */
export function toCustomerDto(customer: Customer): Fields<CustomerDto> {
  return {
    id: customer.id,
    customer_number: customer.customerNumber,
    name: customer.name,
    organization_number: customer.organizationNumber,
    email: customer.email,
    active: customer.active,
    limits: {
      requests_per_minute: customer.requestsPerMinute,
      ai_per_minute: customer.aiPerMinute,
      sms_per_minute: customer.smsPerMinute,
      pending_credit_requests: customer.pendingCreditRequests,
    },
    erased_at: customer.erasedAt && timeText(customer.erasedAt),
    created_at: timeText(customer.createdAt),
    updated_at: timeText(customer.updatedAt),
  };
}
