import { ApiProperty } from '@nestjs/swagger';

/** What waits for somebody. Counts end at 10000. */
export class WaitingDto {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 2 })
  credit_requests!: number;

  /**
   * Their sum.
   * @example 10000
   */
  credit_requests_nok!: number;

  /** Open tickets in which the customer had the last word. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 3 })
  unanswered_tickets!: number;

  /** Status events that have not ended, those to come included. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  status_events!: number;

  /** Open tickets of the highest priority. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  urgent_tickets!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 1 })
  overdue_invoices!: number;

  /** @example 1250.5 */
  overdue_invoices_nok!: number;

  /** Syncs with billing sources whose last run failed. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  failing_syncs!: number;

  /** AI calls with an unknown outcome of the last day. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  unknown_outcomes!: number;

  /** Differences that the last verification of all ledgers found. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  ledger_problems!: number;
}

/** A day's AI calls. */
export class AiDayDto {
  @ApiProperty({ format: 'date' })
  day!: string;

  /** @example 240 */
  calls!: number;

  /**
   * The cost that customers were charged, as in the sums of their calls: without the uncovered part.
   * @example 92.16
   */
  cost_nok!: number;
}

/** A day's SMS with a status. */
export class SmsDayDto {
  @ApiProperty({ format: 'date' })
  day!: string;

  @ApiProperty({ maxLength: 20, example: 'delivered' })
  status!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 120 })
  messages!: number;
}

/** A day's refused requests with a code. */
export class RefusalDayDto {
  @ApiProperty({ format: 'date' })
  day!: string;

  @ApiProperty({ maxLength: 100, example: 'rate_limited' })
  code!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 12 })
  requests!: number;
}

/** The last 30 days; figures of a minute ago, or of up to an hour if nobody has asked lately. Days without anything are left out. */
export class SeriesDto {
  /** When they were read. */
  @ApiProperty({ format: 'date-time' })
  as_of!: string;

  @ApiProperty({ type: [AiDayDto], maxItems: 31 })
  ai!: AiDayDto[];

  @ApiProperty({ type: [SmsDayDto], maxItems: 200 })
  sms!: SmsDayDto[];

  @ApiProperty({ type: [RefusalDayDto], maxItems: 2000 })
  refusals!: RefusalDayDto[];
}

/** The state of another system, as far as requests of the last hour show it. */
export class UpstreamStateDto {
  @ApiProperty({ enum: ['ai', 'sms', 'stripe', 'fiken'], example: 'ai' })
  name!: string;

  @ApiProperty({ enum: ['ok', 'failing'], example: 'ok' })
  state!: string;

  /** Requests that it refused or failed in the last hour; of a billing source, syncs whose last run failed. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 0 })
  failures!: number;

  /** When it last failed. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  last_failure_at!: string | null;
}

/** What waits for somebody, and how the service is used. */
export class TodayDto {
  waiting!: WaitingDto;

  series!: SeriesDto;

  @ApiProperty({ type: [UpstreamStateDto], maxItems: 10 })
  upstreams!: UpstreamStateDto[];
}
