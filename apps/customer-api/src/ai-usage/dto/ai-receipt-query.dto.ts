import type { ReceiptFilter } from '@domains/ai';
import { UsageFilterQueryDto } from './usage-filter-query.dto';

/** Filters of the receipts. */
export class AiReceiptQueryDto extends UsageFilterQueryDto {}

/** Maps the filters of a request to those of the domain. */
export function toReceiptFilter({ from, to, token_id: tokenId, model }: AiReceiptQueryDto): ReceiptFilter {
  return { from, to, tokenId, model };
}
