import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { USAGE_GROUPS, type UsageGroup, type UsageSummaryFilter } from '@domains/ai';
import { IsOneOf } from '@platform/http';
import { UsageFilterQueryDto } from './usage-filter-query.dto';

/** Days and groups of a summary. */
export class AiUsageSummaryQueryDto extends UsageFilterQueryDto {
  /** What the sums are of. */
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
