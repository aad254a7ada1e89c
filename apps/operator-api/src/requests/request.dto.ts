import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { RequestOutcome } from '@domains/ai';
import type { CustomerName } from '@domains/customers';
import { FieldRule, InboxPageDto, InboxQueryDto, IsQueryNumber, IsText, IsTime, IsId, SortBy } from '@platform/http';
import { jsonAmount } from '@platform/money';
import type { RefusedRequest } from '@platform/refusals';
import { isFingerprint, type TokenName } from '@platform/tokens';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the list of refused requests. */
export class RefusedRequestQueryDto extends InboxQueryDto {
  /** Only requests of this customer. */
  @IsId()
  customer_id?: string;

  /** Only requests with this code. */
  @IsOptional()
  @IsText({ min: 1, max: 100 })
  @ApiProperty({ required: false, example: 'rate_limited' })
  code?: string;

  /** Only requests with this status. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 400, maximum: 599 })
  @IsOptional()
  @IsQueryNumber({ min: 400, max: 599 })
  status?: number;

  /** Only requests with this refused token: 12 hexadecimal digits. */
  @IsOptional()
  @FieldRule((value) =>
    typeof value === 'string' && isFingerprint(value) ? undefined : 'must be 12 hexadecimal digits',
  )
  @ApiProperty({ required: false, maxLength: 12, example: '3f0c1d9e7d2a' })
  fingerprint?: string;

  /** Only requests from this network, as the list shows it. */
  @IsOptional()
  @IsText({ min: 1, max: 64 })
  @ApiProperty({ required: false })
  network?: string;

  /** Only requests since this time, RFC 3339. */
  @IsOptional()
  @IsTime()
  since?: string;

  @SortBy(['created_at'], '-created_at')
  sort?: string;
}

/** The request that is asked for. */
export class RequestOutcomeQueryDto {
  /** The `X-Request-Id` of its reply, which errors have as `request_id`. */
  @IsText({ min: 1, max: 128 })
  @ApiProperty({ example: '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11' })
  request_id!: string;

  /** Only requests of this customer. */
  @IsId()
  customer_id?: string;

  /** Sent within the last days. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 1, maximum: 3650, default: 14 })
  @IsOptional()
  @IsQueryNumber({ min: 1, max: 3650 })
  days: number = 14;
}

/** A refused request. Without a known customer it has the nil UUID. */
export class RefusedRequestDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11' */
  @ApiProperty({ maxLength: 128 })
  request_id!: string;

  /** @example 'POST' */
  @ApiProperty({ maxLength: 20 })
  method!: string;

  /** The route's pattern; null when no route answers to the address. */
  @ApiProperty({ type: String, nullable: true, maxLength: 200, example: '/api/v1/ai/messages' })
  route!: string | null;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 400, maximum: 599, example: 429 })
  status!: number;

  @ApiProperty({ type: String, nullable: true, maxLength: 100, example: 'rate_limited' })
  code!: string | null;

  /** The text for the caller. */
  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 10_000,
    example: 'At most 600 requests a minute; try again in 12 s',
  })
  detail!: string | null;

  /** The refusal of another system that it was due to. */
  @ApiProperty({ type: String, nullable: true, maxLength: 500, example: null })
  upstream!: string | null;

  /** The caller's network. */
  @ApiProperty({ maxLength: 64 })
  network!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  token_id!: string | null;

  /** Of a refused token. */
  @ApiProperty({ type: String, nullable: true, maxLength: 12, example: null })
  fingerprint!: string | null;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 3 })
  duration_ms!: number;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A page of refused requests, the newest first. */
export class RefusedRequestPageDto extends InboxPageDto {
  @ApiProperty({ type: [RefusedRequestDto] })
  data!: RefusedRequestDto[];
}

/** What became of a request. Fields that do not apply are null. */
export class RequestOutcomeDto {
  /** `refused`, `succeeded`, `charged`, or the state of an AI message that was not charged. */
  @ApiProperty({ maxLength: 50, example: 'charged' })
  outcome!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  customer_id!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 500, example: 'Fjordlys AS' })
  customer_name!: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  token_id!: string | null;

  /** The token's purpose. */
  @ApiProperty({ type: String, nullable: true, maxLength: 80, example: 'ERP production' })
  token_name!: string | null;

  /** By which the list of tokens shows it. */
  @ApiProperty({ type: String, nullable: true, maxLength: 12, example: '3f0c1d9e7d2a' })
  token_fingerprint!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 20, example: 'POST' })
  method!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 200 })
  route!: string | null;

  @ApiProperty({ type: 'integer', format: 'int32', nullable: true })
  status!: number | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 100 })
  code!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 10_000 })
  detail!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 500 })
  upstream!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 200, example: 'claude-haiku-4-5' })
  model!: string | null;

  /** What the AI message cost its customer, in NOK. */
  @ApiProperty({ type: Number, nullable: true, example: 0.002464 })
  charged_nok!: number | null;

  /** The provider's id of the call. */
  @ApiProperty({ type: String, nullable: true, maxLength: 200 })
  provider_request_id!: string | null;
}

/** What became of the requests with an id, the newest first. */
export class RequestOutcomeListDto {
  @ApiProperty({ type: [RequestOutcomeDto], maxItems: 60 })
  data!: RequestOutcomeDto[];
}

/** Maps a refused request to its DTO. */
export function toRefusedRequestDto(request: OfCustomer<RefusedRequest>): RefusedRequestDto {
  return {
    id: request.id,
    ...toOfCustomerDto(request.customer),
    request_id: request.requestId,
    method: request.method,
    route: request.route,
    status: request.status,
    code: request.code,
    detail: request.detail,
    upstream: request.upstream,
    network: request.network,
    token_id: request.tokenId,
    fingerprint: request.fingerprint,
    duration_ms: request.durationMs,
    created_at: timeText(request.createdAt),
  };
}

/** Names by ids. */
interface Names {
  customers: Map<string, CustomerName>;
  tokens: Map<string, TokenName>;
}

/** Maps an outcome to its DTO. */
export function toRequestOutcomeDto(
  { outcome, createdAt, ...details }: RequestOutcome,
  { customers, tokens }: Names,
): RequestOutcomeDto {
  const text = (name: string) => (typeof details[name] === 'string' ? details[name] : null);
  const charged = text('charged');
  const token = tokens.get(text('tokenId') ?? '');
  return {
    outcome,
    created_at: timeText(createdAt),
    customer_id: text('customerId'),
    customer_name: customers.get(text('customerId') ?? '')?.name ?? null,
    token_id: text('tokenId') || null,
    token_name: token?.name ?? null,
    token_fingerprint: token?.fingerprint ?? null,
    method: text('method'),
    route: text('route'),
    status: typeof details.status === 'number' ? details.status : null,
    code: text('code'),
    detail: text('detail'),
    upstream: text('upstream'),
    model: text('model'),
    charged_nok: charged === null ? null : jsonAmount(charged),
    provider_request_id: text('providerRequestId'),
  };
}
