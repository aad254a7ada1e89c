import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsQueryNumber } from '@platform/http';

/** The result of a check. */
export class FindingDto {
  /** @example 'AI provider' */
  @ApiProperty({ maxLength: 100 })
  check!: string;

  /** `off`: not set up; `warning`: it works, and may not for long. */
  @ApiProperty({ enum: ['ok', 'off', 'warning', 'failed'], example: 'ok' })
  result!: string;

  /** @example 'api.anthropic.com takes the credentials' */
  @ApiProperty({ maxLength: 2000 })
  detail!: string;
}

/** All findings. */
export class FindingListDto {
  @ApiProperty({ type: [FindingDto], maxItems: 100 })
  data!: FindingDto[];
}

/** Filters of the storage report. */
export class StorageQueryDto {
  /** Of the last days of UTC, today among them. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 1, maximum: 31, default: 1 })
  @IsOptional()
  @IsQueryNumber({ min: 1, max: 31 })
  days: number = 1;

  /** Customers at most. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 1, maximum: 200, default: 20 })
  @IsOptional()
  @IsQueryNumber({ min: 1, max: 200 })
  limit: number = 20;
}

/** Bytes that a customer has stored. */
export class StorageDto {
  @ApiProperty({ format: 'uuid' })
  customer_id!: string;

  /** @example '100001' */
  @ApiProperty({ maxLength: 100 })
  customer_number!: string;

  /** @example 'Fjordlys AS' */
  @ApiProperty({ maxLength: 500 })
  customer_name!: string;

  /** @example 1048576 */
  bytes!: number;

  /**
   * On the day with most.
   * @example 1048576
   */
  largest_day_bytes!: number;
}

/** The customers that stored most. */
export class StorageListDto {
  @ApiProperty({ type: [StorageDto], maxItems: 200 })
  data!: StorageDto[];
}
