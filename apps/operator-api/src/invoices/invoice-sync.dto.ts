import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { BILLING_SOURCES, type BillingSourceName, type SyncReport } from '@domains/invoices';
import {
  InboxPageDto,
  InboxQueryDto,
  IsFlag,
  IsOneOf,
  IsText,
  IsTrueOrFalse,
  IsId,
  MayBeLeftOut,
  SortBy,
} from '@platform/http';
import { timeText } from '@platform/time';
import type { OfCustomer } from '../customers/customer-names.service';
import { OfCustomerDto, toOfCustomerDto } from '../customers/of-customer.dto';

/** Filters of the list of syncs. */
export class InvoiceSyncQueryDto extends InboxQueryDto {
  /** Only syncs of this customer. */
  @IsId()
  customer_id?: string;

  /** Only syncs with this source. */
  @ApiProperty({ required: false, enum: BILLING_SOURCES })
  @IsOptional()
  @IsOneOf(BILLING_SOURCES)
  source?: BillingSourceName;

  /** Only syncs whose last run failed. */
  @IsFlag()
  failing?: boolean;

  @SortBy(['failures', 'due_at'], '-failures')
  sort?: string;
}

/** A link of a customer to a billing source. */
export class LinkBillingAccountDto {
  /** The customer. */
  @IsId({ required: true })
  customer_id!: string;

  @ApiProperty({ enum: BILLING_SOURCES, example: 'stripe' })
  @IsOneOf(BILLING_SOURCES)
  source!: BillingSourceName;

  /**
   * The customer's id there: Stripe's customer id, Fiken's contact id.
   * @example 'cus_4Fy8a7XQk2'
   */
  @IsText({ min: 1, max: 200 })
  source_customer_id!: string;
}

/** The end of a link. */
export class UnlinkBillingAccountDto {
  /** The customer. */
  @IsId({ required: true })
  customer_id!: string;

  @ApiProperty({ enum: BILLING_SOURCES, example: 'stripe' })
  @IsOneOf(BILLING_SOURCES)
  source!: BillingSourceName;
}

/** A request to sync now. The syncs run in the worker; the list of syncs shows how they went. */
export class RequestInvoiceSyncDto {
  /** Only this customer's syncs; those of all if left out. */
  @IsId()
  customer_id?: string;

  /** Only syncs with this source; with both if left out. */
  @ApiProperty({ required: false, enum: BILLING_SOURCES })
  @MayBeLeftOut()
  @IsOneOf(BILLING_SOURCES)
  source?: BillingSourceName;

  /** Whether to read all documents, not only those that changed; invoices keep their ids. */
  @MayBeLeftOut()
  @IsTrueOrFalse()
  @ApiProperty({ required: false, example: false })
  full?: boolean;
}

/** A link. */
export class BillingAccountDto {
  @ApiProperty({ format: 'uuid' })
  customer_id!: string;

  @ApiProperty({ enum: BILLING_SOURCES, example: 'stripe' })
  source!: BillingSourceName;

  /** @example 'cus_4Fy8a7XQk2' */
  @ApiProperty({ maxLength: 200 })
  source_customer_id!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

/** A removed link. */
export class UnlinkedDto {
  /** The invoices that came by it and were removed. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 12 })
  invoices_removed!: number;
}

/** Requested syncs. */
export class RequestedSyncsDto {
  /** The number of syncs that are due now. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  syncs!: number;
}

/** A document that could not be read. */
export class SyncProblemDto {
  /** Its id in the source. */
  @ApiProperty({ maxLength: 500 })
  source_id!: string;

  /** Why. */
  @ApiProperty({ maxLength: 5000 })
  detail!: string;

  @ApiProperty({ format: 'date-time' })
  seen_at!: string;
}

/** The state of a customer's sync with a billing source. */
export class InvoiceSyncDto extends OfCustomerDto {
  /** The customer and the source, as one text. */
  @ApiProperty({ maxLength: 50, example: 'b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f:stripe' })
  id!: string;

  @ApiProperty({ enum: BILLING_SOURCES, example: 'stripe' })
  source!: BillingSourceName;

  /** @example 'cus_4Fy8a7XQk2' */
  @ApiProperty({ maxLength: 200 })
  source_customer_id!: string;

  /** When the next run is due. */
  @ApiProperty({ format: 'date-time' })
  due_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  started_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finished_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  succeeded_at!: string | null;

  /**
   * Whether a run is in progress.
   * @example false
   */
  running!: boolean;

  /** Failed runs since the last successful one. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  failures!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  failing_since!: string | null;

  @ApiProperty({ type: String, nullable: true, maxLength: 5000, example: null })
  last_error!: string | null;

  /** Invoices that the current or last run stored. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 3 })
  stored!: number;

  /** Items that it could not read. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  skipped!: number;

  /** The documents that cannot be read, the newest 1000. */
  @ApiProperty({ type: [SyncProblemDto], maxItems: 1000, example: [] })
  problems!: SyncProblemDto[];
}

/** A page of syncs. */
export class InvoiceSyncPageDto extends InboxPageDto {
  @ApiProperty({ type: [InvoiceSyncDto] })
  data!: InvoiceSyncDto[];
}

/** Maps a sync to its DTO. */
export function toInvoiceSyncDto(sync: OfCustomer<SyncReport>): InvoiceSyncDto {
  const time = (at: Date | null) => at && timeText(at);
  return {
    id: `${sync.customerId}:${sync.source}`,
    ...toOfCustomerDto(sync.customer),
    source: sync.source,
    source_customer_id: sync.sourceCustomerId,
    due_at: timeText(sync.dueAt),
    started_at: time(sync.startedAt),
    finished_at: time(sync.finishedAt),
    succeeded_at: time(sync.succeededAt),
    running: sync.runId !== null,
    failures: sync.failures,
    failing_since: time(sync.failingSince),
    last_error: sync.lastError,
    stored: sync.stored,
    skipped: sync.skipped,
    problems: sync.problems.map((problem) => ({
      source_id: problem.sourceId,
      detail: problem.detail,
      seen_at: timeText(problem.seenAt),
    })),
  };
}
