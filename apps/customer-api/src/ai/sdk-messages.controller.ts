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
      'For SDKs of the Messages API: set their base address to this server with `/api/v1/ai`. Charges are the same as those of ' +
      '`POST /ai/messages`, also after an error. With `stream: true` the answer is a stream of events. The last event, ' +
      '`message_stop`, is sent once the answer is charged; an `error` event instead means the same as an error reply. ' +
      'Features without a price per token, such as tools that the provider runs, are refused with 400. Errors have the ' +
      'format that SDKs expect.',
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
      "Returns the provider's estimate. The request costs nothing and has no effect, so it can always be sent again. An " +
      '`Idempotency-Key` is ignored.',
  })
  @ApiBody({ type: SdkCountRequestDto })
  @ApiOkResponse({ type: SdkTokenCountDto, description: 'The number of input tokens.' })
  @ApiResponse(OVERLOADED)
  @ProblemReplies('invalid_request', 'ai_disabled', 'ai_not_configured', 'ai_upstream_rejected', 'ai_upstream_failed')
  async countSdkTokens(@Req() request: RequestWithBody<MessageRequest>): Promise<SdkTokenCountDto> {
    return { input_tokens: await this.tokenCounts.count(request.body) };
  }
}
