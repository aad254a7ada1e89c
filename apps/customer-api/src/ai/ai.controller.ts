import { Controller, Get, Post, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedCustomer } from '@platform/tokens';
import { CurrentCustomer, RateLimitAs, RequireScope } from '@platform/access';
import { AiOverviewService, type MessageRequest, PLAIN_FIELDS } from '@domains/ai';
import { acceptedWeights, KeyClaimedByService, ProblemReplies, type RequestWithBody } from '@platform/http';
import { MessageAnswersService } from './message-answers.service';
import { AiMessageDto, ANSWER, ANSWER_PROBLEMS } from './ai-message.dto';
import { AiOverviewDto, toAiOverviewDto } from './ai-overview.dto';
import { MessageBody } from './message-body';

@ApiTags('AI')
@Controller('ai')
export class AiController {
  constructor(
    private readonly overview: AiOverviewService,
    private readonly answers: MessageAnswersService,
  ) {}

  @Get()
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'Read your AI credit and usage',
    description: 'Includes the credit requests that wait for a decision of the operator.',
  })
  @ApiOkResponse({ type: AiOverviewDto, description: 'Your AI status.' })
  async getAiStatus(): Promise<AiOverviewDto> {
    return toAiOverviewDto(await this.overview.find());
  }

  @Post('messages')
  @RequireScope('ai:use')
  @RateLimitAs('ai')
  @KeyClaimedByService({
    keptHeaders: ['x-ai-usage-id'],
    replayHeaders: MessageAnswersService,
    // With `stream` in the body it is part of that.
    formOf: ({ headers, body }) =>
      !(body as MessageRequest).stream && wantsStream(headers.accept) ? 'stream' : undefined,
  })
  @MessageBody(PLAIN_FIELDS)
  @ApiOperation({
    summary: 'Send a message to the AI model',
    description:
      'The answer is charged to your credit, included credit first, before it is sent to you. A message that the AI provider ' +
      'refused, failed or left unanswered is not charged, nor one that this API answers with an error. Closing the connection does not stop ' +
      'a message in progress: if your connection breaks after the answer was charged, it stays charged. While a message ' +
      'is in progress, the most it can cost is reserved; if only reserved credit prevents the next message, the 402 has ' +
      '`Retry-After`. The body may be up to 32 MB.\n\nWith `Accept: text/event-stream`, or `stream: true` in the body, the answer is a ' +
      'stream of the events of the Messages API. The last one, `message_stop`, comes once the answer is charged; an `error` ' +
      'event means that nothing is charged.',
  })
  @ApiBody({ type: AiMessageDto })
  @ApiCreatedResponse(ANSWER)
  @ProblemReplies(...ANSWER_PROBLEMS)
  createMessage(
    @CurrentCustomer() customer: AuthenticatedCustomer,
    @Req() request: RequestWithBody<MessageRequest>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | StreamableFile> {
    return this.answers.send({ customer, request, reply }, request.body.stream || wantsStream(request.headers.accept));
  }
}

/** Whether an `Accept` header names a stream of events, and not JSON with at least the same weight. */
function wantsStream(accept: string | undefined): boolean {
  const weights = acceptedWeights(accept);
  const stream = weights.get('text/event-stream') ?? 0;
  return stream > 0 && stream > (weights.get('application/json') ?? 0);
}
