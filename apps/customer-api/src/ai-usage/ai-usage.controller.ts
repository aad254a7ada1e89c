import { Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '@platform/access';
import { AiReceiptsService, AiUsageSummaryService } from '@domains/ai';
import {
  CsvExportsService,
  type CsvReader,
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
      'A receipt for each charged message: its tokens, their prices, and the credit that paid. Receipts are sorted by the time ' +
      'at which the message began, newest first. A long-running message can therefore appear after messages that ended ' +
      'before it. For a complete record, read the ledger.',
  })
  @PageOrCsvReply(AiReceiptPageDto, 'A page of receipts.')
  @ProblemReplies('invalid_request', 'rate_limited')
  async listAiUsage(
    @Query() query: AiReceiptQueryDto,
    @WantsCsv() reader: CsvReader | undefined,
  ): Promise<AiReceiptPageDto | StreamableFile> {
    const filter = toReceiptFilter(query);
    if (!reader) return toPageDto(await this.receipts.list(filter, query), toAiReceiptDto);
    const portions = this.receipts.all(filter);
    const table = AI_RECEIPT_TABLE;
    return this.exports.send({ fileName: 'ai-usage', table, portions, toDto: toAiReceiptDto, reader });
  }

  @Get('summary')
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'Read the cost of your AI messages by day, month, model or token',
    description:
      'The sums of the receipts of a period, exact at the moment of the request. Without `to` the period ends today; without ' +
      '`from` it begins with the month of its last day. Days and months are those of the ' +
      "operator's time zone. They are listed latest first, models in the order of their names, tokens in the order of their " +
      'ids. Days, months, models and tokens without usage are not listed.',
  })
  @PageOrCsvReply(AiUsageSummaryPageDto, 'A page of sums.')
  @ProblemReplies('invalid_request', 'rate_limited')
  async summarizeAiUsage(
    @Query() query: AiUsageSummaryQueryDto,
    @WantsCsv() reader: CsvReader | undefined,
  ): Promise<AiUsageSummaryPageDto | StreamableFile> {
    const filter = toSummaryFilter(query);
    const toDto = toAiUsageSumDto(filter.groupBy);
    if (!reader) {
      const { from, to, page } = await this.summary.list(filter, query);
      return Object.assign(toPageDto(page, toDto), { from, to });
    }
    const portions = await this.summary.all(filter);
    return this.exports.send({
      fileName: 'ai-usage-summary',
      table: aiUsageSumTable(filter.groupBy),
      portions,
      toDto,
      reader,
    });
  }

  @Get(':id')
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'Read the receipt of one AI message',
    description: 'The id is the `X-AI-Usage-Id` of the reply to the message.',
  })
  @ApiParam({ name: 'id', description: 'The `X-AI-Usage-Id`.', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ type: AiReceiptDto, description: 'The receipt.' })
  @ProblemReplies(['not_found', 'You have no charged AI message with this id'])
  async getAiUsage(@Param('id', PathId.uuid) id: string): Promise<AiReceiptDto> {
    return toAiReceiptDto(await this.receipts.find(id));
  }
}
