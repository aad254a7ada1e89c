import { ApiProperty } from '@nestjs/swagger';
import { FieldRule, IsText } from '@platform/http';
import { typeName } from '@platform/errors';
import {
  OPERATOR_ROLES,
  type AuthenticatedOperator,
  type OperatorPasskey,
  type OperatorRole,
  type OperatorSession,
} from '@platform/operator-accounts';
import { timeText } from '@platform/time';

/** An object whose content a library checks. */
function IsObject(): PropertyDecorator {
  return FieldRule((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : `must be an object, not ${typeName(value)}`,
  );
}

/** The identity provider. */
export class OidcMethodDto {
  /**
   * Its name on the login page.
   * @example 'Single sign-on'
   */
  @ApiProperty({ maxLength: 200 })
  label!: string;
}

/** The ways to log in, besides a link. */
export class LoginMethodsDto {
  /**
   * Whether people log in with passkeys.
   * @example true
   */
  passkey!: boolean;

  /** The identity provider, if people log in there. */
  @ApiProperty({ type: OidcMethodDto, nullable: true, example: null })
  oidc!: OidcMethodDto | null;
}

/** The secret of a one-time link. */
export class LoginWithLinkDto {
  /**
   * The `token` of the link's address.
   * @example 'V1yYbN0d1nNq6Jm2pU0a4E8Qm3lq9n8cJ5sY0u7x2Zk'
   */
  @IsText({ min: 1, max: 200 })
  token!: string;
}

/** The answer of a passkey. */
export class LoginWithPasskeyDto {
  /** What `navigator.credentials.get()` gave, as JSON (WebAuthn `AuthenticationResponseJSON`). */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { id: 'qT3vyl0Yb1M' } })
  @IsObject()
  response!: Record<string, unknown>;
}

/** A new passkey. */
export class CreatePasskeyDto {
  /**
   * The device, as you call it.
   * @example 'Laptop'
   */
  @IsText({ min: 1, max: 80 })
  name!: string;

  /** What `navigator.credentials.create()` gave, as JSON (WebAuthn `RegistrationResponseJSON`). */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { id: 'qT3vyl0Yb1M' } })
  @IsObject()
  response!: Record<string, unknown>;
}

/** A passkey of yours. */
export class PasskeyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * The device, as you call it.
   * @example 'Laptop'
   */
  @ApiProperty({ maxLength: 80 })
  name!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  /** When it last logged you in. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  last_used_at!: string | null;
}

/** Your passkeys, the oldest first. */
export class PasskeyListDto {
  @ApiProperty({ type: [PasskeyDto], maxItems: 100 })
  data!: PasskeyDto[];
}

/** The person of a session. */
export class OwnAccountDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * The name in the audit log.
   * @example 'kari'
   */
  @ApiProperty({ maxLength: 64 })
  name!: string;

  /** @example 'kari@example.com' */
  @ApiProperty({ format: 'email' })
  email!: string;

  @ApiProperty({ enum: Object.keys(OPERATOR_ROLES), example: 'admin' })
  role!: OperatorRole;
}

/** Your session. */
export class CurrentSessionDto {
  /** The session, as it stands in the list of sessions. */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  account!: OwnAccountDto;

  /** When it ends, whatever you do. */
  @ApiProperty({ format: 'date-time' })
  expires_at!: string;

  /** When it ends unless there is a request before. */
  @ApiProperty({ format: 'date-time' })
  idle_expires_at!: string;

  /** Until when your login counts as fresh. */
  @ApiProperty({ format: 'date-time' })
  fresh_until!: string;

  /** For how many more seconds that is: clocks of browsers differ. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 240 })
  fresh_for_seconds!: number;

  /** The ways to log in again. */
  login_methods!: LoginMethodsDto;
}

/** A session of an account. */
export class SessionDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** How the person logged in. */
  @ApiProperty({ enum: ['link', 'passkey', 'oidc'], example: 'passkey' })
  method!: string;

  /**
   * The browser that it was begun with.
   * @example 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
   */
  @ApiProperty({ maxLength: 500 })
  user_agent!: string;

  /**
   * The network that it was begun from.
   * @example '192.0.2.17'
   */
  @ApiProperty({ maxLength: 64 })
  network!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  /** When it was last used, to the minute. */
  @ApiProperty({ format: 'date-time' })
  last_seen_at!: string;

  @ApiProperty({ format: 'date-time' })
  expires_at!: string;

  /**
   * Whether it is the session of this request.
   * @example true
   */
  current!: boolean;
}

/** Sessions of an account that have not ended, the newest first. */
export class SessionListDto {
  @ApiProperty({ type: [SessionDto], maxItems: 1000 })
  data!: SessionDto[];
}

/** Maps a person's session to its DTO. */
export function toCurrentSessionDto(operator: AuthenticatedOperator, methods: LoginMethodsDto): CurrentSessionDto {
  const { sessionId, accountId, name, email, role, expiresAt, idleExpiresAt, freshUntil, freshForSeconds } = operator;
  return {
    id: sessionId,
    account: { id: accountId, name, email, role },
    expires_at: timeText(expiresAt),
    idle_expires_at: timeText(idleExpiresAt < expiresAt ? idleExpiresAt : expiresAt),
    fresh_until: timeText(freshUntil),
    fresh_for_seconds: freshForSeconds,
    login_methods: methods,
  };
}

/** Maps a session to its DTO. */
export function toSessionDto(session: OperatorSession, { sessionId }: AuthenticatedOperator): SessionDto {
  return {
    id: session.id,
    method: session.method,
    user_agent: session.userAgent,
    network: session.network,
    created_at: timeText(session.createdAt),
    last_seen_at: timeText(session.lastSeenAt),
    expires_at: timeText(session.expiresAt),
    current: session.id === sessionId,
  };
}

/** Maps a passkey to its DTO. */
export function toPasskeyDto({ id, name, createdAt, lastUsedAt }: OperatorPasskey): PasskeyDto {
  return { id, name, created_at: timeText(createdAt), last_used_at: lastUsedAt && timeText(lastUsedAt) };
}
