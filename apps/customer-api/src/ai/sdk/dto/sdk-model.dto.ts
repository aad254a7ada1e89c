import { ApiProperty } from '@nestjs/swagger';

/** What the provider, too, says of a model whose time is not known. */
const UNKNOWN_TIME = '1970-01-01T00:00:00.000000Z';

/** The model that the operator has fixed for you. */
export class SdkModelDto {
  /** @example 'claude-haiku-4-5' */
  id!: string;

  @ApiProperty({ enum: ['model'] })
  type!: string;

  /** @example 'claude-haiku-4-5' */
  display_name!: string;

  /** Not known here: always the beginning of 1970. */
  @ApiProperty({ format: 'date-time', example: UNKNOWN_TIME })
  created_at!: string;
}

/** The models that you can use: one, or none while AI is not set up for you. */
export class SdkModelListDto {
  @ApiProperty({ type: [SdkModelDto], maxItems: 1 })
  data!: SdkModelDto[];

  /** @example false */
  has_more!: boolean;

  @ApiProperty({ type: String, nullable: true, example: 'claude-haiku-4-5' })
  first_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'claude-haiku-4-5' })
  last_id!: string | null;
}

export function toSdkModelDto(id: string): SdkModelDto {
  return { id, type: 'model', display_name: id, created_at: UNKNOWN_TIME };
}

export function toSdkModelListDto(id: string | undefined): SdkModelListDto {
  const known = id ?? null;
  return { data: id === undefined ? [] : [toSdkModelDto(id)], has_more: false, first_id: known, last_id: known };
}
