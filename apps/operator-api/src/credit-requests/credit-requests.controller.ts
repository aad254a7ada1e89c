import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CreditRequestsOperatorService } from '@domains/credit-requests';
import { PathId, ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  ApproveCreditRequestDto,
  CreditRequestDto,
  CreditRequestPageDto,
  CreditRequestQueryDto,
  RejectCreditRequestDto,
  toCreditRequestDto,
} from './credit-request.dto';

const REQUEST_ID = {
  name: 'id',
  description: 'The number of the request.',
  schema: { type: 'integer', format: 'int32', minimum: 1 },
} as const;
const NO_SUCH_REQUEST = ['not_found', 'There is no credit request 17'] as const;

@ApiTags('Credit requests')
@Controller('credit-requests')
export class CreditRequestsController {
  constructor(
    private readonly requests: CreditRequestsOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({ summary: 'List credit requests', description: 'Of one customer or of all.' })
  @ApiOkResponse({ type: CreditRequestPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listCreditRequests(@Query() query: CreditRequestQueryDto): Promise<CreditRequestPageDto> {
    const { customer_id: customerId, status, search } = query;
    const page = await this.requests.inbox({ customerId, status, search }, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page), toCreditRequestDto);
  }

  @Get(':id')
  @AnyRole()
  @ApiOperation({ summary: 'Read a credit request', description: 'With its decision, if there is one.' })
  @ApiParam(REQUEST_ID)
  @ApiOkResponse({ type: CreditRequestDto, description: 'The request.' })
  @ProblemReplies(NO_SUCH_REQUEST)
  async getCreditRequest(@Param('id', PathId.integer) id: number): Promise<CreditRequestDto> {
    return toCreditRequestDto(await this.customers.addToOne(await this.requests.show(id)));
  }

  @Post(':id/approve')
  @HttpCode(HttpStatus.OK)
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({
    summary: 'Approve a credit request',
    description:
      'Invoices the amount and adds the credit, all or nothing. Above `APPROVAL_SECOND_PERSON_NOK` the first approval is kept, and the ' +
      'request stays `pending` until another person approves it too: there is no invoice and no credit before. An approved request stays ' +
      'as it is, with its invoice: `decided_by` says by whom.',
  })
  @ApiParam(REQUEST_ID)
  @ApiOkResponse({
    type: CreditRequestDto,
    description: 'The approved request, or the pending one that waits for a second person.',
  })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_REQUEST)
  async approveCreditRequest(
    @Actor() actor: string,
    @Param('id', PathId.integer) id: number,
    @Body() { invoice_number: number }: ApproveCreditRequestDto,
  ): Promise<CreditRequestDto> {
    const approved = await this.requests.approve(actor, id, number ?? undefined);
    return toCreditRequestDto(await this.customers.addToOne(approved));
  }

  @Post(':id/reject')
  @HttpCode(HttpStatus.OK)
  @RequireRole('billing')
  @ApiOperation({
    summary: 'Reject a credit request',
    description:
      'The customer can read the reason. A rejected request stays as it is, with its reason: `decided_by` says by whom.',
  })
  @ApiParam(REQUEST_ID)
  @ApiOkResponse({ type: CreditRequestDto, description: 'The rejected request.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_REQUEST)
  async rejectCreditRequest(
    @Actor() actor: string,
    @Param('id', PathId.integer) id: number,
    @Body() { reason }: RejectCreditRequestDto,
  ): Promise<CreditRequestDto> {
    return toCreditRequestDto(await this.customers.addToOne(await this.requests.reject(actor, id, reason)));
  }
}
