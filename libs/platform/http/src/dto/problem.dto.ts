import { ApiProperty } from '@nestjs/swagger';
import { type ErrorCode, errorCatalog } from '@platform/errors';

/** A fault in one part of the request. */
export class ProblemErrorDto {
  /**
   * The part: a JSON pointer (RFC 6901) into the body, or `/` and the name of a query parameter.
   * @example '/amount_nok'
   */
  pointer!: string;

  /**
   * Description of the fault.
   * @example 'amount_nok must be from 100 to 50000'
   */
  detail!: string;
}

/** An error, as RFC 9457 problem details. */
export class ProblemDto {
  /**
   * Identifies the kind of error, and links to its description on the server that answered.
   * @example '/docs/errors#invalid_request'
   */
  @ApiProperty({ format: 'uri-reference' })
  type!: string;

  /**
   * The kind of error in words.
   * @example 'The request is not valid'
   */
  title!: string;

  /**
   * The HTTP status of the reply.
   * @example 400
   */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 400, maximum: 599 })
  status!: number;

  /**
   * Description of this occurrence of the error.
   * @example 'amount_nok must be from 100 to 50000'
   */
  detail!: string;

  /**
   * The kind of error for programs. A code never changes its meaning.
   * @example 'invalid_request'
   */
  @ApiProperty({ enum: Object.keys(errorCatalog) })
  code!: ErrorCode;

  /**
   * The request's id, also in the `X-Request-Id` header. Quote it to the operator.
   * @example '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11'
   */
  @ApiProperty({ maxLength: 128 })
  request_id!: string;

  /** The faults of an invalid request, one per part. */
  errors?: ProblemErrorDto[];
}
