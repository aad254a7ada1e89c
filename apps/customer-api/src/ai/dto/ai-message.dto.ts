import { ApiProperty } from '@nestjs/swagger';

/** Nothing in a body can be larger than the body (32 MB). */
const BODY_BYTES = 33_554_432;

/** A turn of the conversation. */
export class AiMessageTurnDto {
  /** Who says it. */
  @ApiProperty({ enum: ['user', 'assistant', 'system'], example: 'user' })
  role!: string;

  /** A text, or content blocks as the Messages API takes them; blocks are passed on unchanged. */
  @ApiProperty({
    oneOf: [
      { type: 'string', maxLength: BODY_BYTES },
      {
        type: 'array',
        maxItems: BODY_BYTES,
        items: {
          type: 'object',
          properties: { type: { type: 'string', maxLength: BODY_BYTES, example: 'text' } },
          required: ['type'],
          additionalProperties: true,
        },
      },
    ],
    example: 'Write a haiku about Oslo.',
  })
  content!: unknown;
}

/** A message to the AI model. The model is fixed by the operator; any other field is ignored. */
export class AiMessageDto {
  /** The conversation so far, in the shape of the Messages API. */
  @ApiProperty({ type: [AiMessageTurnDto], minItems: 1, maxItems: 100_000 })
  messages!: AiMessageTurnDto[];

  /** What the model is told beforehand. */
  @ApiProperty({ required: false, maxLength: BODY_BYTES, example: 'Answer in Norwegian.' })
  system?: string;

  /**
   * The longest answer, in tokens. It is lowered to what your credit buys and to the service's own limit; the answer
   * then ends with `stop_reason: "max_tokens"`.
   */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, example: 1024 })
  max_tokens?: number;
}

/** What the answer is made of: a token costs by its kind. */
export class AiUsageDto {
  /** Tokens of your messages that no cache served. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 14 })
  input_tokens!: number;

  /** Tokens of the answer. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 42 })
  output_tokens!: number;

  /** Tokens that were written to the cache. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', nullable: true, minimum: 0, example: 0 })
  cache_creation_input_tokens?: number | null;

  /** Tokens that were read from the cache. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', nullable: true, minimum: 0, example: 0 })
  cache_read_input_tokens?: number | null;
}

/** The model's answer, exactly as the AI provider gave it; there may be more fields. */
export class AiReplyDto {
  /** @example 'msg_01XFDUDYJgAACzvnptvVoYEL' */
  id!: string;

  @ApiProperty({ enum: ['message'] })
  type!: string;

  @ApiProperty({ enum: ['assistant'] })
  role!: string;

  /** The answer, as content blocks; put the `text` of the blocks of type `text` together to read it. */
  @ApiProperty({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        type: { type: 'string', description: 'What the part is; a plain answer is of type `text`.' },
        text: { type: 'string', description: 'The text; every block of type `text` has it.' },
      },
      required: ['type'],
      additionalProperties: true,
    },
    example: [{ type: 'text', text: 'Fjorden i morgenlys' }],
  })
  content!: { type: string; text?: string }[];

  /**
   * The model that answered.
   * @example 'claude-haiku-4-5'
   */
  model!: string;

  /** Why the answer ended, such as `end_turn`, `max_tokens` or `refusal`. */
  @ApiProperty({ type: String, nullable: true, example: 'end_turn' })
  stop_reason!: string | null;

  /** The sequence that ended it. */
  @ApiProperty({ type: String, nullable: true, example: null })
  stop_sequence!: string | null;

  /** What you are charged for. */
  usage!: AiUsageDto;
}
