import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { AuditLogEntry } from '@platform/audit';
import { InboxPageDto, InboxQueryDto, IsText, IsTime, IsId, SortBy } from '@platform/http';
import { PERSON_NAME_MAX } from '@platform/people';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the audit log. */
export class AuditQueryDto extends InboxQueryDto {
  /** Only changes that concern this customer. */
  @IsId()
  customer_id?: string;

  /** Only this action. */
  @IsOptional()
  @IsText({ min: 1, max: 100 })
  @ApiProperty({ required: false, example: 'token.issue' })
  action?: string;

  /** Only changes by this person. */
  @IsOptional()
  @IsText({ min: 1, max: PERSON_NAME_MAX })
  @ApiProperty({ required: false, example: 'kari' })
  by?: string;

  /** Only changes since this time, RFC 3339. */
  @IsOptional()
  @IsTime()
  since?: string;

  /** Only changes before this time, RFC 3339. */
  @IsOptional()
  @IsTime({ notBefore: 'since' })
  until?: string;

  @SortBy(['created_at'], '-created_at')
  sort?: string;
}

/** An entry of the audit log. Entries that concern no customer have the nil UUID. */
export class AuditEntryDto extends OfCustomerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Who did it: `operator:<name>`, `token:<id>`, `worker` or `identity-provider`.
   * @example 'operator:kari'
   */
  @ApiProperty({ maxLength: 200 })
  actor!: string;

  /** @example 'token.issue' */
  @ApiProperty({ maxLength: 100 })
  action!: string;

  @ApiProperty({ type: 'object', additionalProperties: true, example: { name: 'ERP production' } })
  metadata!: Record<string, unknown>;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A page of the audit log, the newest first. */
export class AuditPageDto extends InboxPageDto {
  @ApiProperty({ type: [AuditEntryDto] })
  data!: AuditEntryDto[];
}

/** Maps an entry to its DTO. */
export function toAuditEntryDto(entry: OfCustomer<AuditLogEntry>): AuditEntryDto {
  return {
    id: entry.id,
    ...toOfCustomerDto(entry.customer),
    actor: entry.actor,
    action: entry.action,
    metadata: entry.metadata,
    created_at: timeText(entry.createdAt),
  };
}
