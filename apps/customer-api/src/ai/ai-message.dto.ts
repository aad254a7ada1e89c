import { ApiProperty } from '@nestjs/swagger';
import { BODY_BYTES } from '@platform/http';

/** A decimal number without an exponent. */
const AMOUNT = { type: 'string', pattern: '^\\d{1,12}(\\.\\d{1,12})?$', maxLength: 25 } as const;
/** No text in a body can be longer than the body. */
const TEXT_OR_BLOCKS = [
  { type: 'string', maxLength: BODY_BYTES.large },
  {
    type: 'array',
    maxItems: BODY_BYTES.large,
    items: {
      type: 'object',
      properties: { type: { type: 'string', maxLength: BODY_BYTES.large, example: 'text' } },
      required: ['type'],
      additionalProperties: true,
    },
  },
];

/** The schema of a system prompt. */
export const SYSTEM_PROMPT = { oneOf: [...TEXT_OR_BLOCKS, { type: 'null' }], example: 'Answer in Norwegian.' };

/** A turn of the conversation. */
export class AiMessageTurnDto {
  /** Author of the turn. */
  @ApiProperty({ enum: ['user', 'assistant', 'system'], example: 'user' })
  role!: string;

  /** A text, or content blocks of the Messages API, which are forwarded unchanged. */
  @ApiProperty({
    oneOf: TEXT_OR_BLOCKS,
    example: 'Write a haiku about Oslo.',
  })
  content!: unknown;
}

/**
 * A message to the AI model. The model is fixed by the operator; any other field is ignored, except `tools`: with tools,
 * use `POST /ai/v1/messages`.
 */
export class AiMessageDto {
  /** The conversation so far, in the format of the Messages API. */
  @ApiProperty({ type: [AiMessageTurnDto], minItems: 1, maxItems: 100_000 })
  messages!: AiMessageTurnDto[];

  /** Instructions for the model (system prompt), as a text or as text blocks. */
  @ApiProperty({ required: false, ...SYSTEM_PROMPT })
  system?: unknown;

  /**
   * The maximum length of the answer, in tokens. The service lowers it to its own limit, and to the tokens that your credit
   * buys. An answer that reaches the maximum ends with `stop_reason: "max_tokens"`.
   */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, example: 1024 })
  max_tokens?: number;

  /** Whether the answer is a stream of events; `Accept: text/event-stream` asks for the same. */
  @ApiProperty({ required: false, type: Boolean, nullable: true, example: false })
  stream?: boolean | null;
}

/** The tokens of the call. Each kind of token has its own price. */
export class AiUsageDto {
  /** Input tokens that were neither written to nor read from the cache. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 14 })
  input_tokens!: number;

  /** Tokens of the answer. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 42 })
  output_tokens!: number;

  /** Input tokens that were written to the cache. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', nullable: true, minimum: 0, example: 0 })
  cache_creation_input_tokens?: number | null;

  /** Input tokens that were read from the cache. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', nullable: true, minimum: 0, example: 0 })
  cache_read_input_tokens?: number | null;
}

/** The model's answer, exactly as the AI provider returned it. It may have more fields. */
export class AiReplyDto {
  /** @example 'msg_01XFDUDYJgAACzvnptvVoYEL' */
  id!: string;

  @ApiProperty({ enum: ['message'] })
  type!: string;

  @ApiProperty({ enum: ['assistant'] })
  role!: string;

  /** The answer as content blocks. Join the `text` of the blocks of type `text` to get it as one text. */
  @ApiProperty({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        type: { type: 'string', description: 'Type of the block; a plain answer has the type `text`.' },
        text: { type: 'string', description: 'The text of a block of type `text`.' },
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

  /** The stop sequence that ended the answer, if one did. */
  @ApiProperty({ type: String, nullable: true, example: null })
  stop_sequence!: string | null;

  /** The tokens that you are charged for. */
  usage!: AiUsageDto;
}

/**
 * The reply to a request for a message. Its description mentions the stream: as a second content type, it would make generated
 * clients take every answer for a text.
 */
export const ANSWER = {
  type: AiReplyDto,
  description: "The model's answer, or the stream of its events if you asked for a stream.",
  headers: {
    'X-AI-Usage-Id': {
      description:
        'The id under which `GET /ai/usage` has the message once it is charged. Streams have this header, too.',
      schema: { type: 'string', format: 'uuid', maxLength: 36 },
    },
    'X-AI-Cost': {
      description: 'The charge, in NOK. A stream has this header only if it is replayed for an Idempotency-Key.',
      schema: AMOUNT,
    },
    'X-AI-Credit-Remaining': {
      description:
        'Your included and purchased credit after the message, in NOK. Streams and replays do not have this header: read `GET /ai`.',
      schema: AMOUNT,
    },
  },
} as const;

/** The problems of a request for a message, besides those of every route. */
export const ANSWER_PROBLEMS = [
  'invalid_request',
  'credit_exhausted',
  'ai_disabled',
  'ai_not_configured',
  'ai_upstream_rejected',
  'ai_upstream_failed',
] as const;
