import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AiUsageOperatorService } from '@domains/ai';
import { ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { AnyRole } from '../access/operator-access';
import { NO_SUCH_CUSTOMER } from '../customers/of-customer.dto';
import {
  LedgerPageDto,
  LedgerQueryDto,
  ReceiptPageDto,
  toLedgerEntryDto,
  toReceiptDto,
  toUsageSumDto,
  UsageQueryDto,
  UsageSummaryDto,
  UsageSummaryQueryDto,
} from './ai-records.dto';

@ApiTags('AI')
@Controller()
export class AiRecordsController {
  constructor(private readonly records: AiUsageOperatorService) {}

  @Get('ai/ledger')
  @AnyRole()
  @ApiOperation({ summary: "List a customer's ledger", description: 'The latest entry first.' })
  @ApiOkResponse({ type: LedgerPageDto, description: 'A page of the ledger.' })
  @ProblemReplies('invalid_request', NO_SUCH_CUSTOMER)
  async listLedger(@Query() query: LedgerQueryDto): Promise<LedgerPageDto> {
    const { customer_id: customerId, from, to, kind } = query;
    const page = await this.records.ledgerPage(customerId, { from, to, kind }, toInboxRequest(query));
    return toInboxPageDto(page, toLedgerEntryDto);
  }

  @Get('ai/usage')
  @AnyRole()
  @ApiOperation({ summary: "List a customer's charged calls", description: 'The newest first.' })
  @ApiOkResponse({ type: ReceiptPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request', NO_SUCH_CUSTOMER)
  async listUsage(@Query() query: UsageQueryDto): Promise<ReceiptPageDto> {
    const { customer_id: customerId, from, to, token_id: tokenId, model } = query;
    const page = await this.records.usagePage(customerId, { from, to, tokenId, model }, toInboxRequest(query));
    return toInboxPageDto(page, toReceiptDto);
  }

  @Get('ai/usage/summary')
  @AnyRole()
  @ApiOperation({ summary: "Sum up a customer's calls", description: 'By day, month, model or token.' })
  @ApiOkResponse({ type: UsageSummaryDto, description: 'The sums.' })
  @ProblemReplies('invalid_request', NO_SUCH_CUSTOMER)
  async getUsageSummary(@Query() query: UsageSummaryQueryDto): Promise<UsageSummaryDto> {
    const { customer_id: customerId, group_by: groupBy, token_id: tokenId, model } = query;
    const filter = { groupBy, from: query.from, to: query.to, tokenId, model };
    const { from, to, page } = await this.records.summary(customerId, filter, toInboxRequest(query));
    return { from, to, data: page.items.map(toUsageSumDto), has_more: page.hasMore, next_cursor: page.nextCursor };
  }
}
