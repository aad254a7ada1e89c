import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AiAccountingOperatorService, AiUsageOperatorService, AiVerificationOperatorService } from '@domains/ai';
import { ClientGoneError } from '@platform/context';
import { ClientGone, ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { jsonAmount } from '@platform/money';
import { wholeInbox } from '@platform/pagination';
import { AnyRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  AccountingDto,
  AccountingQueryDto,
  toAccountingMonthDto,
  toLedgerProblemDto,
  toUnknownOutcomeDto,
  UnknownOutcomePageDto,
  UnknownOutcomeQueryDto,
  VerificationDto,
  VerificationQueryDto,
} from './ai-accounting.dto';

@ApiTags('AI')
@Controller()
export class AiAccountingController {
  constructor(
    private readonly accounting: AiAccountingOperatorService,
    private readonly calls: AiUsageOperatorService,
    private readonly customers: CustomerNamesService,
    private readonly verification: AiVerificationOperatorService,
  ) {}

  @Get('ai/accounting')
  @AnyRole()
  @ApiOperation({
    summary: 'Read the sums of a month',
    description:
      "For accounting: additions to each customer's AI credit, and its use. A month of which entries were dropped from the ledger is refused.",
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

  @Get('ai/unknown')
  @AnyRole()
  @ApiOperation({
    summary: 'List calls with an unknown outcome',
    description: 'They were not charged, and the provider may bill them.',
  })
  @ApiOkResponse({ type: UnknownOutcomePageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listUnknownOutcomes(@Query() query: UnknownOutcomeQueryDto): Promise<UnknownOutcomePageDto> {
    const page = await this.calls.unknownOutcomesInbox(query.customer_id, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page), toUnknownOutcomeDto);
  }

  @Get('ai/verification')
  @AnyRole()
  @ApiOperation({
    summary: 'Check accounts against their ledgers',
    description:
      'Of one customer or of all, which takes a while. Whoever asks for the same meanwhile gets the same result. It ends when nobody waits for it any more.',
  })
  @ApiOkResponse({ type: VerificationDto, description: 'The differences.' })
  @ProblemReplies('invalid_request')
  async verifyAccounts(
    @Query() { customer_id: customerId }: VerificationQueryDto,
    @ClientGone() gone: AbortSignal,
  ): Promise<VerificationDto> {
    const accounts = await this.verification.accounts(customerId);
    const problems = await this.verification.verify(customerId, gone).catch((error: unknown) => {
      throw gone.aborted ? new ClientGoneError() : error;
    });
    return { accounts, problems: problems.map(toLedgerProblemDto) };
  }
}
