import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { AuditLogEntry } from '@platform/audit';
import { InboxPageDto, InboxQueryDto, IsText, IsTime, IsId, SortBy } from '@platform/http';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the audit log. */
export class AuditQueryDto extends InboxQueryDto {
  /** Only changes that concern this customer. */
  @IsId()
  customer_id?: string;

  /** Only this action, such as `token.issue`, or this group of them, such as `token`. */
  @IsOptional()
  @IsText({ min: 1, max: 100 })
  @ApiProperty({ required: false, example: 'token.issue' })
  action?: string;

  /** Only changes by this person, or by this author as entries have it. */
  @IsOptional()
  @IsText({ min: 1, max: 200 })
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

  /** Names of the tokens, tickets and services in `actor` and `metadata`, by their ids. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 500 },
    example: { '0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51': 'ERP production' },
  })
  names!: Record<string, string>;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A page of the audit log, the newest first. */
export class AuditPageDto extends InboxPageDto {
  @ApiProperty({ type: [AuditEntryDto] })
  data!: AuditEntryDto[];
}

/** The actions that there are entries of. */
export class AuditActionListDto {
  @ApiProperty({ type: 'array', items: { type: 'string', maxLength: 100 }, maxItems: 1000, example: ['token.issue'] })
  data!: string[];
}

/** An entry with the names of its customer and of its other records. */
export type NamedAuditEntry = OfCustomer<AuditLogEntry> & { names: Record<string, string> };

/** Maps an entry to its DTO. */
export function toAuditEntryDto(entry: NamedAuditEntry): AuditEntryDto {
  return {
    id: entry.id,
    ...toOfCustomerDto(entry.customer),
    actor: entry.actor,
    action: entry.action,
    metadata: entry.metadata,
    names: entry.names,
    created_at: timeText(entry.createdAt),
  };
}
