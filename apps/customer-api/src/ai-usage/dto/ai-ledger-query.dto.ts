import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { LEDGER_KINDS, type LedgerFilter, type LedgerKind } from '@domains/ai';
import { IsOneOf } from '@platform/http';
import { PeriodQueryDto } from './period-query.dto';

/** Filters of the ledger. */
export class AiLedgerQueryDto extends PeriodQueryDto {
  /** Only entries of this kind. */
  @ApiProperty({ required: false, enum: LEDGER_KINDS })
  @IsOptional()
  @IsOneOf(LEDGER_KINDS)
  kind?: LedgerKind;
}

/** Maps the query to the domain's filter. */
export function toLedgerFilter({ from, to, kind }: AiLedgerQueryDto): LedgerFilter {
  return { from, to, kind };
}
