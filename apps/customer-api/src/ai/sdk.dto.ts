import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { AiMessageTurnDto, SYSTEM_PROMPT } from './ai-message.dto';

/**
 * A request in the format of the Messages API. Besides these fields it may have `tools` that you run yourself,
 * `tool_choice`, `temperature`, `top_p`, `top_k`, `stop_sequences`, `thinking`, `output_config`, `cache_control` and
 * `service_tier` (`auto`, `standard_only`), which are forwarded. `model` and `metadata` are ignored. Any other field is
 * refused with 400.
 */
@ApiSchema({ name: 'SdkCountRequestDto' })
export class SdkCountRequestDto {
  /** The conversation so far. */
  @ApiProperty({ type: [AiMessageTurnDto], minItems: 1, maxItems: 100_000 })
  messages!: AiMessageTurnDto[];

  /** Instructions for the model (system prompt), as a text or as text blocks. */
  @ApiProperty({ required: false, ...SYSTEM_PROMPT })
  system?: unknown;
}

/** A request for a message. */
export class SdkMessageRequestDto extends SdkCountRequestDto {
  /**
   * The maximum length of the answer, in tokens. It is lowered to the tokens that your credit buys and to the service's own limit;
   * the answer then ends with `stop_reason: "max_tokens"`.
   */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, example: 1024 })
  max_tokens?: number;

  /** Whether the answer is a stream of events. */
  @ApiProperty({ required: false, type: Boolean, nullable: true, example: false })
  stream?: boolean | null;
}

/** The tokens of a request. */
export class SdkTokenCountDto {
  /** The provider's estimate of the input tokens. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 14 })
  input_tokens!: number;
}

/** The provider's own value for a model whose time is not known. */
const UNKNOWN_TIME = '1970-01-01T00:00:00.000000Z';

/** The model that the operator has fixed for you. */
export class SdkModelDto {
  /** @example 'claude-haiku-4-5' */
  id!: string;

  @ApiProperty({ enum: ['model'] })
  type!: string;

  /** @example 'claude-haiku-4-5' */
  display_name!: string;

  /** Always 1970-01-01: the provider does not say. */
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
