import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { NO_TOKEN, USAGE_GROUPS, type UsageGroup, type UsageSum, type UsageSummaryFilter } from '@domains/ai';
import { CsvTable } from '@platform/csv';
import { IsOneOf, PageDto } from '@platform/http';
import { jsonAmount } from '@platform/money';
import { Amount, Count, UsageFilterQueryDto, UsageTokenDto } from './usage.dto';

/** Days and groups of a summary. */
export class AiUsageSummaryQueryDto extends UsageFilterQueryDto {
  /** The unit that the sums are grouped by. */
  @ApiProperty({ required: false, enum: USAGE_GROUPS, default: 'day' })
  @IsOptional()
  @IsOneOf(USAGE_GROUPS)
  group_by: UsageGroup = 'day';
}

/** Maps the query to the domain's filter. */
export function toSummaryFilter({
  group_by: groupBy,
  from,
  to,
  token_id: tokenId,
  model,
}: AiUsageSummaryQueryDto): UsageSummaryFilter {
  return { groupBy, from, to, tokenId, model };
}

/** The sums of a day, a month, a model or a token. Amounts in NOK, with all decimals. */
export class AiUsageSumDto {
  /** The day, with `group_by=day`. */
  @ApiProperty({ required: false, format: 'date', example: '2026-11-20' })
  day?: string;

  /** The month, with `group_by=month`. */
  @ApiProperty({ required: false, pattern: '^\\d{4}-\\d{2}$', maxLength: 7 })
  month?: string;

  /** The model, with `group_by=model`. */
  @ApiProperty({ required: false, maxLength: 200 })
  model?: string;

  /** The token, with `group_by=token`. */
  @ApiProperty({ required: false, nullable: true, type: () => UsageTokenDto })
  token?: UsageTokenDto | null;

  /** Number of messages that were charged. */
  @Count(12, { least: 1 })
  calls!: number;

  @Count(168)
  input_tokens!: number;

  @Count(504)
  output_tokens!: number;

  @Count(0)
  cache_write_5m_tokens!: number;

  @Count(0)
  cache_write_1h_tokens!: number;

  @Count(0)
  cache_read_tokens!: number;

  /** The charge. */
  @Amount(0.029568)
  cost!: number;

  /** The part that included credit paid. */
  @Amount(0.02)
  paid_from_included!: number;

  /** The part that purchased credit paid. */
  @Amount(0.009568)
  paid_from_purchased!: number;

  /** The part of the tokens' price that is not charged. */
  @Amount(0)
  uncovered!: number;
}

/** A page of sums. */
export class AiUsageSummaryPageDto extends PageDto {
  /** The first day that is counted. */
  @ApiProperty({ format: 'date', example: '2026-11-01' })
  from!: string;

  /** The last day that is counted. */
  @ApiProperty({ format: 'date', example: '2026-11-20' })
  to!: string;

  /** The sums. */
  data!: AiUsageSumDto[];
}

const SUMS = [
  ...['calls', 'input_tokens', 'output_tokens', 'cache_write_5m_tokens', 'cache_write_1h_tokens', 'cache_read_tokens'],
  ...['cost', 'paid_from_included', 'paid_from_purchased', 'uncovered'],
];
const TABLES: Record<UsageGroup, CsvTable> = {
  day: new CsvTable(['day', ...SUMS]),
  month: new CsvTable(['month', ...SUMS]),
  model: new CsvTable(['model', ...SUMS]),
  token: new CsvTable(['token.id', 'token.name', ...SUMS]),
};

/** The sums of groups as CSV. */
export function aiUsageSumTable(group: UsageGroup): CsvTable {
  return TABLES[group];
}

/** Maps the sums of a kind of groups to their DTOs. */
export function toAiUsageSumDto(group: UsageGroup): (sum: UsageSum) => AiUsageSumDto {
  return (sum) => ({
    ...(group === 'token' ? { token: toTokenDto(sum) } : { [group]: sum.key }),
    calls: sum.calls,
    input_tokens: sum.inputTokens,
    output_tokens: sum.outputTokens,
    cache_write_5m_tokens: sum.cacheWrite5mTokens,
    cache_write_1h_tokens: sum.cacheWrite1hTokens,
    cache_read_tokens: sum.cacheReadTokens,
    cost: jsonAmount(sum.charged),
    paid_from_included: jsonAmount(sum.paidFromIncluded),
    paid_from_purchased: jsonAmount(sum.paidFromPurchased),
    uncovered: jsonAmount(sum.uncovered),
  });
}

function toTokenDto({ key, tokenName }: UsageSum): UsageTokenDto | null {
  return key === NO_TOKEN ? null : { id: key, name: tokenName };
}
