import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  configFault,
  type CustomerServiceEntity,
  SERVICE_NAME_MAX,
  SERVICE_STATUSES,
  SERVICE_TYPE_MAX,
  type ServiceStatus,
} from '@domains/services';
import { FieldRule, InboxPageDto, IsOneOf, IsText, IsTime, IsId, MayBeLeftOut, WHOLE_LIST_MAX } from '@platform/http';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the list of services. */
export class ServiceQueryDto {
  /** The customer whose services are listed. */
  @IsId({ required: true })
  customer_id!: string;

  /** Only services of this type. */
  @IsOptional()
  @IsText({ min: 1, max: SERVICE_TYPE_MAX })
  @ApiProperty({ required: false, example: 'hosting' })
  type?: string;

  /** Only services with this status. */
  @ApiProperty({ required: false, enum: SERVICE_STATUSES })
  @IsOptional()
  @IsOneOf(SERVICE_STATUSES)
  status?: ServiceStatus;
}

/** A new service. */
export class AddServiceDto {
  /** The customer who gets it. */
  @IsId({ required: true })
  customer_id!: string;

  /**
   * Its type, such as `ai`, `sms` or `hosting`; stored in small letters.
   * @example 'hosting'
   */
  @IsText({ min: 1, max: SERVICE_TYPE_MAX })
  type!: string;

  /** @example 'Web hosting' */
  @IsText({ min: 1, max: SERVICE_NAME_MAX })
  name!: string;

  /** `active` if left out. */
  @ApiProperty({ required: false, enum: SERVICE_STATUSES })
  @MayBeLeftOut()
  @IsOneOf(SERVICE_STATUSES)
  status?: ServiceStatus;

  /** Settings that the customer can read. Never a secret. */
  @MayBeLeftOut()
  @FieldRule(configFault)
  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true, example: { disk_gb: 50 } })
  config?: Record<string, unknown>;
}

/** A change of a service; fields left out stay as they are. */
export class ChangeServiceDto {
  @MayBeLeftOut()
  @IsText({ min: 1, max: SERVICE_NAME_MAX })
  @ApiProperty({ required: false })
  name?: string;

  @ApiProperty({ required: false, enum: SERVICE_STATUSES, example: 'suspended' })
  @MayBeLeftOut()
  @IsOneOf(SERVICE_STATUSES)
  status?: ServiceStatus;

  /**
   * Settings that the customer can read. Of an `ai` service, an increase of `monthly_included_nok` is added at once, a decrease
   * applies from next month.
   */
  @MayBeLeftOut()
  @FieldRule(configFault)
  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true })
  config?: Record<string, unknown>;

  /**
   * The service's `updated_at` as you have read it, RFC 3339: refused if the service has changed since. For the settings, which are
   * replaced as a whole.
   */
  @IsOptional()
  @IsTime()
  seen?: string | null;
}

/** A service of a customer. */
export class ServiceDto extends OfCustomerDto {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 12 })
  id!: number;

  /** @example 'hosting' */
  @ApiProperty({ maxLength: SERVICE_TYPE_MAX })
  type!: string;

  /** @example 'Web hosting' */
  @ApiProperty({ maxLength: SERVICE_NAME_MAX })
  name!: string;

  @ApiProperty({ enum: SERVICE_STATUSES, example: 'active' })
  status!: ServiceStatus;

  @ApiProperty({ type: 'object', additionalProperties: true, example: { disk_gb: 50 } })
  config!: Record<string, unknown>;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

/** Services of a customer, the newest first. */
export class ServicePageDto extends InboxPageDto {
  @ApiProperty({ type: [ServiceDto], maxItems: WHOLE_LIST_MAX })
  data!: ServiceDto[];
}

/** A type of services that are not terminated. */
export class ServiceTypeDto {
  /** @example 'hosting' */
  @ApiProperty({ maxLength: SERVICE_TYPE_MAX })
  type!: string;

  /** The number of services of this type. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 240 })
  services!: number;

  /** The number of customers who have them. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, example: 200 })
  customers!: number;
}

/** The types of all customers' services, by name. */
export class ServiceTypeListDto {
  @ApiProperty({ type: [ServiceTypeDto], maxItems: 10_000 })
  data!: ServiceTypeDto[];
}

/** Maps a service to its DTO. */
export function toServiceDto(service: OfCustomer<CustomerServiceEntity>): ServiceDto {
  return {
    id: service.id,
    ...toOfCustomerDto(service.customer),
    type: service.type,
    name: service.name,
    status: service.status,
    config: service.config,
    created_at: timeText(service.createdAt),
    updated_at: timeText(service.updatedAt),
  };
}
