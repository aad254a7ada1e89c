import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AiAccountingOperatorService, AiCreditOperatorService, AiUsageOperatorService } from '@domains/ai';
import { PathId, ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { jsonAmount } from '@platform/money';
import { wholeInbox } from '@platform/pagination';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  AccountingDto,
  AccountingQueryDto,
  toAccountingMonthDto,
  toUnknownOutcomeDto,
  UnknownOutcomePageDto,
  UnknownOutcomeQueryDto,
} from './ai-accounting.dto';
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
import { AddCreditDto, AiSettingsDto, toAiSettingsDto } from './ai-settings.dto';
import { CreditCorrectionsService } from './credit-corrections.service';

const CUSTOMER_ID = { name: 'id', description: 'The customer.', schema: { type: 'string', format: 'uuid' } } as const;
const NO_SUCH_CUSTOMER = ['not_found', 'There is no customer b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'] as const;

@ApiTags('AI')
@Controller()
export class AiRecordsController {
  constructor(
    private readonly accounting: AiAccountingOperatorService,
    private readonly corrections: CreditCorrectionsService,
    private readonly credit: AiCreditOperatorService,
    private readonly records: AiUsageOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Post('customers/:id/ai/credit')
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({
    summary: "Correct a customer's credit",
    description: 'With an adjustment or a refund, which stays in its ledger.',
  })
  @ApiParam(CUSTOMER_ID)
  @ApiCreatedResponse({ type: AiSettingsDto, description: 'The settings with the new balances.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER)
  async addCredit(
    @Actor() actor: string,
    @Param('id', PathId.uuid) customerId: string,
    @Body() { kind, amount_nok: amountNok, note }: AddCreditDto,
  ): Promise<AiSettingsDto> {
    return toAiSettingsDto(await this.corrections.add(actor, { customerId, kind, amountNok, note }));
  }

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

  @Get('ai/unknown')
  @AnyRole()
  @ApiOperation({
    summary: 'List calls with an unknown outcome',
    description: 'They were not charged, and the provider may bill them.',
  })
  @ApiOkResponse({ type: UnknownOutcomePageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listUnknownOutcomes(@Query() query: UnknownOutcomeQueryDto): Promise<UnknownOutcomePageDto> {
    const page = await this.credit.unknownOutcomesInbox(query.customer_id, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page), toUnknownOutcomeDto);
  }

  @Get('ai/accounting')
  @AnyRole()
  @ApiOperation({
    summary: 'Read the sums of a month',
    description: "For accounting: additions to each customer's AI credit, and its use.",
  })
  @ApiOkResponse({ type: AccountingDto, description: 'The sums.' })
  @ProblemReplies('invalid_request')
  async getAccounting(@Query() { month, customer_id: customerId, top }: AccountingQueryDto): Promise<AccountingDto> {
    const { customers, total } = await this.accounting.month(month, { customerId, top });
    const named = await this.customers.addTo(wholeInbox(customers));
    return {
      data: named.items.map(toAccountingMonthDto),
      customers: total.customers,
      topped_up: jsonAmount(total.toppedUp),
      used_purchased: jsonAmount(total.usedPurchased),
      used_included: jsonAmount(total.usedIncluded),
    };
  }
}
