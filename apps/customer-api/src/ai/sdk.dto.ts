import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { AiMessageTurnDto, SYSTEM_PROMPT } from './ai-message.dto';

/** An object of the Messages API that is forwarded unchanged. */
const FORWARDED = { type: 'object', selfRequired: false, additionalProperties: true } as const;

/** A tool that you run yourself. */
export class SdkToolDto {
  /** The name by which the model calls the tool. */
  @ApiProperty({ maxLength: 200, example: 'get_weather' })
  name!: string;

  /** `custom`, or one of the provider's types for tools that you run yourself. */
  @ApiProperty({ required: false, maxLength: 100, example: 'custom' })
  type?: string;

  /** Tells the model when to call the tool. */
  @ApiProperty({ required: false, maxLength: 100_000, example: 'The weather of a city.' })
  description?: string;

  /** The JSON schema of the tool's input. A tool of a provider's type has none. */
  @ApiProperty({
    ...FORWARDED,
    example: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  })
  input_schema?: Record<string, unknown>;
}

/**
 * A request in the format of the Messages API. `model` and `metadata` are ignored. Fields that are not listed here are refused
 * with 400.
 */
@ApiSchema({ name: 'SdkCountRequestDto' })
export class SdkCountRequestDto {
  /** Ignored: the operator fixes the model. */
  @ApiProperty({ required: false, maxLength: 200, example: 'claude-haiku-4-5' })
  model?: string;

  /** The conversation so far. */
  @ApiProperty({ type: [AiMessageTurnDto], minItems: 1, maxItems: 100_000 })
  messages!: AiMessageTurnDto[];

  /** Instructions for the model (system prompt), as a text or as text blocks. */
  @ApiProperty({ required: false, ...SYSTEM_PROMPT })
  system?: unknown;

  /** Tools that you run yourself. Tools that the provider runs are not available. */
  @ApiProperty({ required: false, type: [SdkToolDto], maxItems: 10_000 })
  tools?: SdkToolDto[];

  /** Whether and which tool the model must call. */
  @ApiProperty({ ...FORWARDED })
  tool_choice?: Record<string, unknown>;

  /** Whether the model thinks before it answers. */
  @ApiProperty({ ...FORWARDED })
  thinking?: Record<string, unknown>;

  /** The format of the answer, such as a JSON schema, and the model's effort. */
  @ApiProperty({ ...FORWARDED })
  output_config?: Record<string, unknown>;

  /** Lets the provider cache the whole request. */
  @ApiProperty({ ...FORWARDED })
  cache_control?: Record<string, unknown>;
}

/** A request for a message. */
export class SdkMessageRequestDto extends SdkCountRequestDto {
  /**
   * The maximum length of the answer, in tokens. The service lowers it to its own limit, and to the tokens that your credit
   * buys. An answer that reaches the maximum ends with `stop_reason: "max_tokens"`.
   */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, example: 1024 })
  max_tokens?: number;

  /** Whether the answer is a stream of events. */
  @ApiProperty({ required: false, type: Boolean, nullable: true, example: false })
  stream?: boolean | null;

  /** How random the answer is. */
  @ApiProperty({ required: false, type: Number, minimum: 0, maximum: 1 })
  temperature?: number;

  /** Nucleus sampling: the answer uses only the most probable tokens that together have this probability. */
  @ApiProperty({ required: false, type: Number, minimum: 0, maximum: 1 })
  top_p?: number;

  /** The answer uses only this number of the most probable tokens. */
  @ApiProperty({ required: false, type: 'integer', minimum: 0 })
  top_k?: number;

  /** Texts that end the answer. */
  @ApiProperty({ required: false, type: [String], maxItems: 10_000 })
  stop_sequences?: string[];

  /** The provider's tier of service. */
  @ApiProperty({ required: false, enum: ['auto', 'standard_only'] })
  service_tier?: string;

  /** Ignored. */
  @ApiProperty({ ...FORWARDED })
  metadata?: Record<string, unknown>;
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
