import { Controller, Get, Header, Post, Req } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type AuthenticatedCustomer } from '@platform/tokens';
import { CurrentCustomer, RateLimitAs, RequireAiEnabled, RequireScope } from '@platform/access';
import { AiMessagesService, AiOverviewService, type MessageRequest, MessageRequestReader } from '@domains/ai';
import { KeyClaimedByService, ProblemReplies, ReadBodyBy, type RequestWithBody } from '@platform/http';
import { AiMessageDto, AiReplyDto } from './dto/ai-message.dto';
import { AiOverviewDto, toAiOverviewDto } from './dto/ai-status.dto';

/** A message's body: up to the provider's limit, parsed while it arrives and forwarded byte for byte. */
const MESSAGE_BODY = ReadBodyBy({
  bytes: 32 * 1024 * 1024,
  values: ({ AI_BODY_MAX_VALUES }) => AI_BODY_MAX_VALUES,
  reader: ({ AI_CONTEXT_TOKENS }) => new MessageRequestReader(AI_CONTEXT_TOKENS),
});

@ApiTags('AI')
@Controller('ai')
export class AiController {
  constructor(
    private readonly overview: AiOverviewService,
    private readonly gateway: AiMessagesService,
  ) {}

  @Get()
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'Read your AI credit and usage',
    description: 'With the credit requests that still wait for the operator.',
  })
  @ApiOkResponse({ type: AiOverviewDto, description: 'Your AI status.' })
  async getAiStatus(): Promise<AiOverviewDto> {
    return toAiOverviewDto(await this.overview.find());
  }

  @Post('messages')
  @RequireScope('ai:use')
  @RateLimitAs('ai')
  @RequireAiEnabled()
  @KeyClaimedByService()
  @MESSAGE_BODY
  @Header('content-type', 'application/json; charset=utf-8')
  @ApiOperation({
    summary: 'Send a message to the AI model',
    description:
      'The answer is charged to your credit, included credit first, before it is sent to you. A message that the AI provider ' +
      'refused, failed or left unanswered is not charged, nor one that this API answers with an error. Closing the connection does not stop ' +
      'a message in progress: if your connection breaks after the answer was charged, it stays charged. While a message ' +
      'is in progress, the most it can cost is reserved; if only reserved credit prevents the next message, the 402 has ' +
      '`Retry-After`. The body may be up to 32 MB.',
  })
  @ApiBody({ type: AiMessageDto })
  @ApiCreatedResponse({ type: AiReplyDto, description: "The model's answer." })
  @ProblemReplies(
    'invalid_request',
    'credit_exhausted',
    'ai_disabled',
    'ai_not_configured',
    'ai_upstream_rejected',
    'ai_upstream_failed',
  )
  async createMessage(
    @CurrentCustomer() { tokenId }: AuthenticatedCustomer,
    @Req() request: RequestWithBody<MessageRequest>,
  ): Promise<Buffer> {
    return this.gateway.send({ tokenId, requestId: request.id }, request.body);
  }
}
