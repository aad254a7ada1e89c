import { Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '@platform/access';
import { AiReceiptsService, AiUsageSummaryService } from '@domains/ai';
import {
  ClientGone,
  CsvExportsService,
  PageOrCsvReply,
  PathId,
  ProblemReplies,
  toPageDto,
  WantsCsv,
} from '@platform/http';
import {
  AI_RECEIPT_TABLE,
  AiReceiptDto,
  AiReceiptPageDto,
  AiReceiptQueryDto,
  toAiReceiptDto,
  toReceiptFilter,
} from './ai-receipt.dto';
import {
  AiUsageSummaryPageDto,
  AiUsageSummaryQueryDto,
  aiUsageSumTable,
  toAiUsageSumDto,
  toSummaryFilter,
} from './ai-usage-summary.dto';

@ApiTags('AI')
@Controller('ai/usage')
export class AiUsageController {
  constructor(
    private readonly receipts: AiReceiptsService,
    private readonly summary: AiUsageSummaryService,
    private readonly exports: CsvExportsService,
  ) {}

  @Get()
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'List the receipts of your AI messages',
    description:
      'Each message that was charged: its tokens, the prices they were charged by, and the credit that paid. Newest first by ' +
      'the time at which the message began, which is part of its id: a long-running message appears behind others that ended ' +
      'before it. For a complete record, read the ledger.',
  })
  @PageOrCsvReply(AiReceiptPageDto, 'A page of receipts.')
  @ProblemReplies('invalid_request', 'rate_limited')
  async listAiUsage(
    @Query() query: AiReceiptQueryDto,
    @WantsCsv() csv: boolean,
    @ClientGone() closed: AbortSignal,
  ): Promise<AiReceiptPageDto | StreamableFile> {
    const filter = toReceiptFilter(query);
    if (!csv) return toPageDto(await this.receipts.list(filter, query), toAiReceiptDto);
    const portions = this.receipts.all(filter);
    const table = AI_RECEIPT_TABLE;
    return this.exports.send({ fileName: 'ai-usage', table, portions, toDto: toAiReceiptDto, closed });
  }

  @Get('summary')
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'Read the cost of your AI messages by day, month, model or token',
    description:
      'Exact at the moment of the request: the sums of the receipts of the same days. Without `from` and `to`: of this ' +
      "month. Days and months are those of the operator's time zone, in which AI credit is counted. Days and months come the " +
      'latest first, models and tokens in the order of their names and ids. Days, models and tokens without usage are not listed.',
  })
  @PageOrCsvReply(AiUsageSummaryPageDto, 'A page of sums.')
  @ProblemReplies('invalid_request', 'rate_limited')
  async summarizeAiUsage(
    @Query() query: AiUsageSummaryQueryDto,
    @WantsCsv() csv: boolean,
    @ClientGone() closed: AbortSignal,
  ): Promise<AiUsageSummaryPageDto | StreamableFile> {
    const filter = toSummaryFilter(query);
    const toDto = toAiUsageSumDto(filter.groupBy);
    if (!csv) {
      const { from, to, page } = await this.summary.list(filter, query);
      return Object.assign(toPageDto(page, toDto), { from, to });
    }
    const portions = await this.summary.all(filter);
    return this.exports.send({
      fileName: 'ai-usage-summary',
      table: aiUsageSumTable(filter.groupBy),
      portions,
      toDto,
      closed,
    });
  }

  @Get(':id')
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'Read the receipt of one AI message',
    description: 'By the `X-AI-Usage-Id` of its reply.',
  })
  @ApiParam({ name: 'id', description: 'The `X-AI-Usage-Id`.', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ type: AiReceiptDto, description: 'The receipt.' })
  @ProblemReplies(['not_found', 'You have no AI message with this id that was charged'])
  async getAiUsage(@Param('id', PathId.uuid) id: string): Promise<AiReceiptDto> {
    return toAiReceiptDto(await this.receipts.find(id));
  }
}
