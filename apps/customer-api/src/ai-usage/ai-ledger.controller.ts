import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '@platform/access';
import { AiLedgerEntriesService } from '@domains/ai';
import { CsvExportsService, type CsvReader, PageOrCsvReply, ProblemReplies, toPageDto, WantsCsv } from '@platform/http';
import {
  AI_LEDGER_TABLE,
  AiLedgerPageDto,
  AiLedgerQueryDto,
  toAiLedgerEntryDto,
  toLedgerFilter,
} from './ai-ledger.dto';

@ApiTags('AI')
@Controller('ai/ledger')
export class AiLedgerController {
  constructor(
    private readonly entries: AiLedgerEntriesService,
    private readonly exports: CsvExportsService,
  ) {}

  @Get()
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'List every change of your AI credit',
    description:
      'Lists every grant, purchase, use, correction and expiry, each with its cause and the balance after it, latest first. ' +
      'Entries never change. Their numbers, `sequence`, have no gaps.',
  })
  @PageOrCsvReply(AiLedgerPageDto, 'A page of entries.')
  @ProblemReplies('invalid_request', 'rate_limited')
  async listAiLedger(
    @Query() query: AiLedgerQueryDto,
    @WantsCsv() reader: CsvReader | undefined,
  ): Promise<AiLedgerPageDto | StreamableFile> {
    const filter = toLedgerFilter(query);
    if (!reader) return toPageDto(await this.entries.list(filter, query), toAiLedgerEntryDto);
    const portions = this.entries.all(filter);
    return this.exports.send({
      ...{ fileName: 'ai-ledger', table: AI_LEDGER_TABLE, portions, toDto: toAiLedgerEntryDto, reader },
    });
  }
}
