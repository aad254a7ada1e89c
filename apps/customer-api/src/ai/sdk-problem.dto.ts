import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { type ErrorCode, errorCatalog, problemType } from '@platform/errors';
import { ProblemErrorDto } from '@platform/http';

/** The provider's own code of an error, for SDKs that look for it. */
export class SdkErrorDetailsDto {
  @ApiProperty({ required: false, maxLength: 100, example: 'thread_unsupported_request' })
  error_code?: string;

  /** Names of the features that are not available. */
  @ApiProperty({ required: false, type: [String], maxItems: 10, example: ['thread'] })
  unsupported?: string[];
}

/** An error in the AI provider's format, as its SDKs read it. */
export class SdkErrorDto {
  /**
   * The kind of error in the provider's words.
   * @example 'invalid_request_error'
   */
  type!: string;

  /**
   * Description of this occurrence, for people.
   * @example 'messages is required'
   */
  message!: string;

  /** The page on the server that answered, with the description of the error's code. */
  @ApiProperty({ format: 'uri-reference', example: '/docs/errors#invalid_request' })
  documentation_url!: string;

  details?: SdkErrorDetailsDto;
}

/** An error at the addresses for SDKs: in the AI provider's format, with the members that errors have elsewhere beside it. */
export class SdkProblemDto {
  @ApiProperty({ enum: ['error'] })
  type!: 'error';

  error!: SdkErrorDto;

  /** The kind of error for programs. A code never changes its meaning. */
  @ApiProperty({ enum: Object.keys(errorCatalog), example: 'invalid_request' })
  code!: ErrorCode;

  /** The HTTP status of the reply. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 400, maximum: 599, example: 400 })
  status!: number;

  /**
   * Description of this occurrence, like `error.message`.
   * @example 'messages is required'
   */
  detail!: string;

  /** The request's id, also in the `Request-Id` header. Quote it to the operator. */
  @ApiProperty({ maxLength: 128, example: '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11' })
  request_id!: string;

  /** The faults of an invalid request, one per part. */
  errors?: ProblemErrorDto[];
}

/** The reply with the one status that only SDKs get. */
export const OVERLOADED = {
  status: 529,
  description:
    "The AI provider is overloaded, or limits the operator's requests (`overloaded_error`). Send the request again after a pause.",
  content: {
    'application/json': {
      schema: { $ref: getSchemaPath(SdkProblemDto) },
      example: {
        type: 'error',
        error: {
          type: 'overloaded_error',
          message: errorCatalog.ai_upstream_failed.example,
          documentation_url: problemType('ai_upstream_failed'),
        },
        status: 529,
        detail: errorCatalog.ai_upstream_failed.example,
        code: 'ai_upstream_failed',
        request_id: '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11',
      },
    },
  },
} as const;
