import type { AiOverview } from '@domains/ai';
import { type AiStatusDto, toAiStatusDto } from '@records/ai-status.dto';
import { type CreditRequestDto, toCreditRequestDto } from '@records/credit-request.dto';

/** Your AI status and your pending credit requests, as of one moment. */
export class AiOverviewDto {
  ai!: AiStatusDto;

  /** Credit requests that the operator has not decided yet, newest first. */
  pending_credit_requests!: CreditRequestDto[];
}

/** Maps the overview to its DTO. */
export function toAiOverviewDto({ pending, ...status }: AiOverview): AiOverviewDto {
  return { ai: toAiStatusDto(status), pending_credit_requests: pending.map(toCreditRequestDto) };
}
