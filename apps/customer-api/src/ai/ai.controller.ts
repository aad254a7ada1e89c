import { Controller, Get, Post, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedCustomer } from '@platform/tokens';
import { CurrentCustomer, RateLimitAs, RequireScope } from '@platform/access';
import { AiOverviewService, type MessageRequest, PLAIN_FIELDS } from '@domains/ai';
import {
  acceptedWeights,
  KeyClaimedByService,
  ProblemReplies,
  ReplyForm,
  type RequestWithBody,
  weightOfJson,
} from '@platform/http';
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
  })
  // With `stream` in the body it is part of that.
  @ReplyForm(({ headers, body }) =>
    !(body as MessageRequest).stream && wantsStream(headers.accept) ? 'stream' : undefined,
  )
  @MessageBody(PLAIN_FIELDS)
  @ApiOperation({
    summary: 'Send a message to the AI model',
    description:
      'The answer is charged to your credit, included credit first, before it is sent to you. A request that gets an error is ' +
      'not charged, with these exceptions: a 503 may say that it is unknown whether the answer was charged, and names the receipt ' +
      'to read; or that it is unknown whether the request had an effect, if the server ended before it answered; and a 409 ' +
      '`idempotency_reply_not_kept` says that the first request with the key was charged. Closing the connection does not stop ' +
      'a message in progress: it is charged once the AI provider has answered. While a message is in progress, the most that it ' +
      'can cost is reserved. A 402 has `Retry-After` if messages in progress have reserved the credit that the next message ' +
      'needs. The body may have up to 32 MB.\n\nWith ' +
      '`Accept: text/event-stream`, or `stream: true` in the body, the answer is a stream of the events of the Messages API. ' +
      'The last event, `message_stop`, is sent once the answer is charged. An `error` event instead means the same as an ' +
      'error reply.',
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

/** Whether an `Accept` header names a stream of events, and neither JSON with the same weight nor anything that has JSON with more. */
function wantsStream(accept: string | undefined): boolean {
  const weights = acceptedWeights(accept);
  const stream = weights.get('text/event-stream') ?? 0;
  const json = weightOfJson(weights);
  return stream > 0 && (weights.has('application/json') ? stream > json : stream >= json);
}
