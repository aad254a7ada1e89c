import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  FieldRule,
  InboxPageDto,
  IsText,
  IsTime,
  IsId,
  IsWholeNumber,
  MayBeLeftOut,
  WHOLE_LIST_MAX,
} from '@platform/http';
import { timeText } from '@platform/time';
import {
  type IssuedToken,
  isFingerprint,
  isScope,
  type Scope,
  SCOPES,
  TOKEN_NAME_MAX,
  type TokenSummary,
} from '@platform/tokens';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

const NAMES = Object.keys(SCOPES);

/** Different scopes. */
export function AreScopes({ min = 0 }: { min?: number } = {}): PropertyDecorator {
  return FieldRule((value) =>
    Array.isArray(value) &&
    value.length >= min &&
    value.every((one) => typeof one === 'string' && isScope(one)) &&
    new Set(value).size === value.length
      ? undefined
      : `must be a list of different scopes, of ${NAMES.join(', ')}`,
  );
}

/** Filters of the list of tokens. */
export class TokenQueryDto {
  /** The customer whose tokens are listed. */
  @IsId({ required: true })
  customer_id!: string;
}

/** A new token. */
export class IssueTokenDto {
  /** The customer who gets it. */
  @IsId({ required: true })
  customer_id!: string;

  /** What it may do. */
  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: NAMES },
    minItems: 1,
    maxItems: 20,
    example: ['ai:read'],
  })
  @AreScopes({ min: 1 })
  scopes!: Scope[];

  /** Its purpose; the customer sees it in reports. */
  @IsOptional()
  @IsText({ min: 1, max: TOKEN_NAME_MAX })
  @ApiProperty({ type: String, required: false, nullable: true, example: 'ERP production' })
  name?: string | null;

  /** When it expires, RFC 3339; never if left out. */
  @IsOptional()
  @IsTime()
  expires_at?: string | null;
}

/** A rotation. */
export class RotateTokenDto {
  /** Hours that the old token stays valid; 24 if left out. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 0, maximum: 8760, example: 24 })
  @MayBeLeftOut()
  @IsWholeNumber()
  grace_hours?: number;
}

/** A name of a token. */
export class RenameTokenDto {
  /**
   * Its purpose; the customer sees it in reports.
   * @example 'ERP test'
   */
  @IsText({ min: 1, max: TOKEN_NAME_MAX })
  name!: string;
}

/** A token, or its fingerprint, whose owner is looked for. */
export class FindTokenDto {
  /** A text with the token in it. It is used for the look-up alone: nothing stores, logs or returns it. */
  @IsOptional()
  @IsText({ min: 1, max: 10_000 })
  @ApiProperty({ type: String, required: false, nullable: true, example: null })
  text?: string | null;

  /** The first 12 hexadecimal digits of its SHA-256, as logs and refused requests have them. */
  @IsOptional()
  @FieldRule((value) =>
    typeof value === 'string' && isFingerprint(value) ? undefined : 'must be 12 hexadecimal digits',
  )
  @ApiProperty({ type: String, required: false, nullable: true, maxLength: 12, example: '3f0c1d9e7d2a' })
  fingerprint?: string | null;
}

/** A service token, without the token itself. */
export class TokenDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** Its purpose. */
  @ApiProperty({ type: String, nullable: true, maxLength: TOKEN_NAME_MAX, example: 'ERP production' })
  name!: string | null;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: NAMES }, maxItems: 20, example: ['ai:read'] })
  scopes!: Scope[];

  /**
   * The first 12 hexadecimal digits of its SHA-256, by which logs name it.
   * @example '3f0c1d9e7d2a'
   */
  @ApiProperty({ maxLength: 12 })
  fingerprint!: string;

  /**
   * False once it was deactivated.
   * @example true
   */
  active!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  expires_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_used_at!: string | null;

  /** The token that it replaces. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  rotated_from!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A new token. */
export class IssuedTokenDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The token: shown here alone, and stored nowhere. Null in the reply to a retry with the same Idempotency-Key. */
  @ApiProperty({ type: String, nullable: true, maxLength: 100, example: 'cas_live_…' })
  token!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: TOKEN_NAME_MAX, example: 'ERP production' })
  name!: string | null;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: NAMES }, maxItems: 20, example: ['ai:read'] })
  scopes!: Scope[];

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  expires_at!: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  rotated_from!: string | null;
}

/** Tokens of a customer, the newest first. */
export class TokenPageDto extends InboxPageDto {
  @ApiProperty({ type: [TokenDto], maxItems: WHOLE_LIST_MAX })
  data!: TokenDto[];
}

/** Maps a token to its DTO. */
export function toTokenDto(token: OfCustomer<TokenSummary>): TokenDto {
  return {
    id: token.id,
    ...toOfCustomerDto(token.customer),
    name: token.name,
    scopes: token.scopes,
    fingerprint: token.fingerprint,
    active: token.active,
    expires_at: token.expiresAt && timeText(token.expiresAt),
    last_used_at: token.lastUsedAt && timeText(token.lastUsedAt),
    rotated_from: token.rotatedFrom,
    created_at: timeText(token.createdAt),
  };
}

/** Maps a new token to its DTO. */
export function toIssuedTokenDto(token: OfCustomer<IssuedToken>): IssuedTokenDto {
  return {
    id: token.id,
    ...toOfCustomerDto(token.customer),
    token: token.token,
    name: token.name,
    scopes: token.scopes,
    expires_at: token.expiresAt && timeText(token.expiresAt),
    rotated_from: token.rotatedFrom,
  };
}
