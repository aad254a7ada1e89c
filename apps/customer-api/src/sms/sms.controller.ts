import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { CurrentCustomer, RateLimitAs, RequireScope } from '@platform/access';
import { KeyClaimedByService, PathId, ProblemReplies, toPageDto, toPageRequest } from '@platform/http';
import { SmsLogService, SmsSendingService } from '@domains/sms';
import { SmsDto, toSmsDto } from '@records/sms.dto';
import { SendSmsDto, SmsPageDto, SmsQueryDto } from './sms.dto';

@ApiTags('SMS')
@Controller('sms')
export class SmsController {
  constructor(
    private readonly sender: SmsSendingService,
    private readonly log: SmsLogService,
  ) {}

  @Post('send')
  @RequireScope('sms:send')
  @RateLimitAs('sms')
  @KeyClaimedByService()
  @ApiOperation({
    summary: 'Send an SMS',
    description:
      'A request sends one message at most: the service does not call the gateway again if the message may have been sent. ' +
      'Numbers in countries that the operator has not allowed, landlines, premium rate, satellite and personal (call forwarding) numbers are ' +
      'refused with 400, and so is a message that has more parts than the daily cap of parts. Messages beyond the daily cap of messages or of ' +
      'parts are refused with 429.',
  })
  @ApiCreatedResponse({ type: SmsDto, description: 'The gateway accepted the message.' })
  @ProblemReplies('invalid_request', 'sms_disabled', 'sms_gateway_rejected', 'sms_gateway_failed')
  async sendSms(@CurrentCustomer() { tokenId }: AuthenticatedCustomer, @Body() order: SendSmsDto): Promise<SmsDto> {
    return toSmsDto(await this.sender.send(`token:${tokenId}`, order));
  }

  @Get('log')
  @RequireScope('sms:read')
  @ApiOperation({ summary: 'List the SMS you sent', description: 'Newest first, each with its status.' })
  @ApiOkResponse({ type: SmsPageDto, description: 'A page of the log.' })
  @ProblemReplies('invalid_request')
  async listSms(@Query() query: SmsQueryDto): Promise<SmsPageDto> {
    return toPageDto(await this.log.list(toPageRequest(query), query.status), toSmsDto);
  }

  @Get('log/:id')
  @RequireScope('sms:read')
  @ApiOperation({
    summary: 'Read one of the SMS you sent',
    description: "The status follows the gateway's delivery reports.",
  })
  @ApiParam({ name: 'id', description: 'The message.', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ type: SmsDto, description: 'The message.' })
  @ProblemReplies(['not_found', 'You have sent no SMS with this id'])
  async getSms(@Param('id', PathId.uuid) id: string): Promise<SmsDto> {
    return toSmsDto(await this.log.find(id));
  }
}
