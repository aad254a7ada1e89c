import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { AiMessageTurnDto, SYSTEM_PROMPT } from '../../dto/ai-message.dto';

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
   * The maximum length of the answer, in tokens. It is lowered to what your credit buys and to the service's own limit;
   * the answer then ends with `stop_reason: "max_tokens"`.
   */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, example: 1024 })
  max_tokens?: number;

  /** Whether the answer is a stream of events. */
  @ApiProperty({ required: false, example: false })
  stream?: boolean;
}

/** The tokens of a request. */
export class SdkTokenCountDto {
  /** The provider's estimate of the input tokens. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 14 })
  input_tokens!: number;
}
