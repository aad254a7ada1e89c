import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequestOutcomesOperatorService } from '@domains/ai';
import { ClientGoneError } from '@platform/context';
import { ClientGone, ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { RefusalsOperatorService } from '@platform/refusals';
import { TokensOperatorService } from '@platform/tokens';
import { AnyRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  RefusedRequestPageDto,
  RefusedRequestQueryDto,
  RequestOutcomeListDto,
  RequestOutcomeQueryDto,
  toRefusedRequestDto,
  toRequestOutcomeDto,
} from './request.dto';

@ApiTags('Requests')
@Controller('requests')
export class RequestsController {
  constructor(
    private readonly refusals: RefusalsOperatorService,
    private readonly outcomes: RequestOutcomesOperatorService,
    private readonly customers: CustomerNamesService,
    private readonly tokens: TokensOperatorService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({
    summary: 'List refused requests',
    description: 'The newest first. Of a customer or network that had many in a minute, the first ones.',
  })
  @ApiOkResponse({ type: RefusedRequestPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listRefusedRequests(@Query() query: RefusedRequestQueryDto): Promise<RefusedRequestPageDto> {
    const { customer_id: customerId, code, status, fingerprint, network, since } = query;
    const filter = { customerId, code, status, fingerprint, network, since: since ? new Date(since) : undefined };
    return toInboxPageDto(
      await this.customers.addTo(await this.refusals.inbox(filter, toInboxRequest(query))),
      toRefusedRequestDto,
    );
  }

  @Get('outcome')
  @AnyRole()
  @ApiOperation({
    summary: 'Read what became of a request',
    description: 'Who sent it, why it was refused, what its AI message cost.',
  })
  @ApiOkResponse({ type: RequestOutcomeListDto, description: 'The requests with the id.' })
  @ProblemReplies('invalid_request', [
    'not_found',
    'No request with the id 3f0c1d9e was refused or charged lately. The log files of 14 days have none either',
  ])
  async getRequestOutcome(
    @Query() query: RequestOutcomeQueryDto,
    @ClientGone() gone: AbortSignal,
  ): Promise<RequestOutcomeListDto> {
    const { request_id: id, customer_id: customerId, days } = query;
    const outcomes = await this.outcomes.ofRequest({ id, customerId, days }, gone).catch((error: unknown) => {
      throw gone.aborted ? new ClientGoneError() : error;
    });
    const idsOf = (name: 'customerId' | 'tokenId') =>
      [...new Set(outcomes.map((outcome) => outcome[name]))].filter((one) => typeof one === 'string' && one !== '');
    const [customers, tokens] = await Promise.all([
      this.customers.namesOf(idsOf('customerId') as string[]),
      this.tokens.namesOf(idsOf('tokenId') as string[]),
    ]);
    return { data: outcomes.map((outcome) => toRequestOutcomeDto(outcome, { customers, tokens })) };
  }
}
