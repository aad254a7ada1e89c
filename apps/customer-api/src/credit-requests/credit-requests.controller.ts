import { Body, Controller, Get, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { CurrentCustomer, RequireScope } from '@platform/access';
import { CreditRequestsService } from '@domains/credit-requests';
import { PathId, ProblemReplies, toPageDto, toPageRequest } from '@platform/http';
import { CreditRequestDto, toCreditRequestDto } from '@records/credit-request.dto';
import { CreateCreditRequestDto, CreditRequestPageDto, CreditRequestQueryDto } from './credit-request.dto';

@ApiTags('AI')
@Controller('ai/credit-requests')
export class CreditRequestsController {
  constructor(private readonly requests: CreditRequestsService) {}

  @Get()
  @RequireScope('ai:read')
  @ApiOperation({ summary: 'List your credit requests', description: 'Newest first.' })
  @ApiOkResponse({ type: CreditRequestPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listCreditRequests(@Query() query: CreditRequestQueryDto): Promise<CreditRequestPageDto> {
    return toPageDto(await this.requests.list(toPageRequest(query), query.status), toCreditRequestDto);
  }

  @Post()
  @RequireScope('ai:topup')
  @ApiOperation({
    summary: 'Ask for extra AI credit',
    description:
      'Adds no credit by itself: the operator invoices the amount and approves the request. Idempotent with a `reference`.',
  })
  @ApiCreatedResponse({ type: CreditRequestDto, description: 'The pending request.' })
  @ApiOkResponse({
    type: CreditRequestDto,
    description: 'You have already sent this reference. Returns the existing request, unchanged.',
  })
  @ProblemReplies('invalid_request', 'ai_disabled', 'too_many_pending_requests')
  async createCreditRequest(
    @CurrentCustomer() { tokenId }: AuthenticatedCustomer,
    @Body() { amount_nok: amountNok, note, reference }: CreateCreditRequestDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreditRequestDto> {
    const { request, created } = await this.requests.create({ tokenId, amountNok, note, reference });
    reply.status(created ? HttpStatus.CREATED : HttpStatus.OK);
    return toCreditRequestDto(request);
  }

  @Get(':id')
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'Read one of your credit requests',
    description: 'Includes the decision of the operator, and the invoice of an approved request.',
  })
  @ApiParam({ name: 'id', schema: { type: 'integer', format: 'int32', minimum: 1 } })
  @ApiOkResponse({ type: CreditRequestDto, description: 'The request.' })
  @ProblemReplies(['not_found', 'There is no such credit request'])
  async getCreditRequest(@Param('id', PathId.integer) id: number): Promise<CreditRequestDto> {
    return toCreditRequestDto(await this.requests.find(id));
  }
}
