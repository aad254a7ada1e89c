import { Controller, HttpCode, Post, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type MessageRequest, SDK_FIELDS, TokenCountsService } from '@domains/ai';
import { CurrentCustomer, RateLimitAs, RequireScope, TokenInApiKey } from '@platform/access';
import { KeyClaimedByService, ProblemReplies, type RequestWithBody, WithoutEffect } from '@platform/http';
import { type AuthenticatedCustomer } from '@platform/tokens';
import { MessageAnswersService } from './message-answers.service';
import { ANSWER, ANSWER_PROBLEMS } from './ai-message.dto';
import { MessageBody } from './message-body';
import { OVERLOADED, SdkProblemDto } from './sdk-problem.dto';
import { SdkCountRequestDto, SdkMessageRequestDto, SdkTokenCountDto } from './sdk.dto';

/** Messages at the addresses and in the format of the provider's SDKs. */
@ApiTags('AI for SDKs')
@TokenInApiKey()
@ApiExtraModels(SdkProblemDto)
@Controller('ai/v1/messages')
export class SdkMessagesController {
  constructor(
    private readonly answers: MessageAnswersService,
    private readonly tokenCounts: TokenCountsService,
  ) {}

  @Post()
  @HttpCode(200)
  @RequireScope('ai:use')
  @RateLimitAs('ai')
  @KeyClaimedByService({ keptHeaders: ['x-ai-usage-id'], replayHeaders: MessageAnswersService })
  @MessageBody(SDK_FIELDS)
  @ApiOperation({
    summary: 'Send a message, as SDKs do',
    description:
      'For SDKs of the Messages API, whose base address is then this server with `/api/v1/ai`. The answer is charged as that of ' +
      '`POST /ai/messages`. With `stream: true` it is a stream of events, whose last one, `message_stop`, comes once the answer ' +
      'is charged; an `error` event means that nothing is charged. Features without a price per token, such as tools ' +
      'that the provider runs, are refused with 400. Errors also have the format that SDKs expect.',
  })
  @ApiBody({ type: SdkMessageRequestDto })
  @ApiOkResponse(ANSWER)
  @ApiResponse(OVERLOADED)
  @ProblemReplies(...ANSWER_PROBLEMS)
  createSdkMessage(
    @CurrentCustomer() customer: AuthenticatedCustomer,
    @Req() request: RequestWithBody<MessageRequest>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | StreamableFile> {
    return this.answers.send({ customer, request, reply }, request.body.stream);
  }

  @Post('count_tokens')
  @HttpCode(200)
  @RequireScope('ai:use')
  @RateLimitAs('ai')
  @WithoutEffect()
  @MessageBody(SDK_FIELDS)
  @ApiOperation({
    summary: 'Count the tokens of a message, as SDKs do',
    description:
      "The provider's estimate. It costs nothing and has no effect: send it again as it is. An `Idempotency-Key` is ignored.",
  })
  @ApiBody({ type: SdkCountRequestDto })
  @ApiOkResponse({ type: SdkTokenCountDto, description: 'The number of input tokens.' })
  @ApiResponse(OVERLOADED)
  @ProblemReplies('invalid_request', 'ai_disabled', 'ai_not_configured', 'ai_upstream_rejected', 'ai_upstream_failed')
  async countSdkTokens(@Req() request: RequestWithBody<MessageRequest>): Promise<SdkTokenCountDto> {
    return { input_tokens: await this.tokenCounts.count(request.body) };
  }
}
