import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { InboxPageDto, IsOneOf, IsText, MayBeLeftOut, WHOLE_LIST_MAX } from '@platform/http';
import {
  type InvitedAccount,
  OPERATOR_ROLES,
  type OperatorAccount,
  type OperatorRole,
} from '@platform/operator-accounts';
import { PERSON_NAME_MAX } from '@platform/people';
import { timeText } from '@platform/time';

const ROLES = Object.keys(OPERATOR_ROLES);

/** An invitation. */
export class InviteAccountDto {
  /** @example 'kari@example.com' */
  @IsText({ min: 3, max: 254 })
  email!: string;

  /** Of a new account; of one that there is it may be left out. */
  @ApiProperty({ required: false, enum: ROLES, example: 'support' })
  @MayBeLeftOut()
  @IsOneOf(ROLES)
  role?: OperatorRole;

  /** The name in the audit log; the part of the e-mail address before the @ if left out. */
  @IsOptional()
  @IsText({ min: 1, max: PERSON_NAME_MAX })
  @ApiProperty({ type: String, required: false, nullable: true, example: 'kari' })
  name?: string | null;
}

/** A role. */
export class SetRoleDto {
  @ApiProperty({ enum: ROLES, example: 'billing' })
  @IsOneOf(ROLES)
  role!: OperatorRole;

  /** The role that it has now, so that none is replaced unseen. */
  @IsOptional()
  @ApiProperty({ enum: ROLES, required: false, nullable: true })
  @IsOneOf(ROLES)
  replaces?: OperatorRole | null;
}

/** An account of one of the operator's people. */
export class AccountDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example 'kari@example.com' */
  @ApiProperty({ format: 'email' })
  email!: string;

  /** @example 'kari' */
  @ApiProperty({ maxLength: PERSON_NAME_MAX })
  name!: string;

  @ApiProperty({ enum: ROLES, example: 'support' })
  role!: OperatorRole;

  /**
   * If false, it cannot log in.
   * @example true
   */
  active!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_login_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** An invited account. */
export class InvitedAccountDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** @example 'kari@example.com' */
  @ApiProperty({ format: 'email' })
  email!: string;

  /** @example 'kari' */
  @ApiProperty({ maxLength: PERSON_NAME_MAX })
  name!: string;

  @ApiProperty({ enum: ROLES, example: 'support' })
  role!: OperatorRole;

  /** The link that logs the person in, once: shown here alone. Null in the reply to a retry with the same Idempotency-Key. */
  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 500,
    example: 'https://console.example.com/#/login/link?token=…',
  })
  link!: string | null;

  @ApiProperty({ format: 'date-time' })
  link_expires_at!: string;
}

/** All accounts, by name. */
export class AccountPageDto extends InboxPageDto {
  @ApiProperty({ type: [AccountDto], maxItems: WHOLE_LIST_MAX })
  data!: AccountDto[];
}

/** Maps an account to its DTO. */
export function toAccountDto({ id, email, name, role, active, lastLoginAt, createdAt }: OperatorAccount): AccountDto {
  return {
    ...{ id, email, name, role, active },
    last_login_at: lastLoginAt && timeText(lastLoginAt),
    created_at: timeText(createdAt),
  };
}

/** Maps an invited account to its DTO. */
export function toInvitedAccountDto({ id, email, name, role, link, linkExpiresAt }: InvitedAccount): InvitedAccountDto {
  return { id, email, name, role, link, link_expires_at: timeText(linkExpiresAt) };
}
