import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { SmsOperatorService } from '@domains/sms';
import { PathId, ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { Actor, AnyRole, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import { CUSTOMER_ID, NO_SUCH_CUSTOMER } from '../customers/of-customer.dto';
import {
  ConfigureSmsDto,
  SmsDto,
  SmsPageDto,
  SmsQueryDto,
  SmsSettingsDto,
  toSmsDto,
  toSmsSettingsDto,
} from './sms.dto';

const SMS_ID = { name: 'id', description: 'The SMS.', schema: { type: 'string', format: 'uuid' } } as const;

@ApiTags('SMS')
@Controller()
export class SmsController {
  constructor(
    private readonly sms: SmsOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Get('sms')
  @RequireRole('support')
  @ApiOperation({ summary: 'List SMS', description: 'Of one customer or of all, the newest first.' })
  @ApiOkResponse({ type: SmsPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listSms(@Query() query: SmsQueryDto): Promise<SmsPageDto> {
    const { customer_id: customerId, status, search } = query;
    const page = await this.sms.inbox({ customerId, status, search }, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page), toSmsDto);
  }

  @Get('sms/:id')
  @RequireRole('support')
  @ApiOperation({ summary: 'Read an SMS', description: 'With what the gateway said of it.' })
  @ApiParam(SMS_ID)
  @ApiOkResponse({ type: SmsDto, description: 'The SMS.' })
  @ProblemReplies(['not_found', 'There is no SMS b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'])
  async getSms(@Param('id', PathId.uuid) id: string): Promise<SmsDto> {
    return toSmsDto(await this.customers.addToOne(await this.sms.find(id)));
  }

  @Get('customers/:id/sms')
  @AnyRole()
  @ApiOperation({ summary: "Read a customer's SMS settings", description: 'Sender, daily caps, countries.' })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: SmsSettingsDto, description: 'The settings.' })
  @ProblemReplies(NO_SUCH_CUSTOMER)
  async getSmsSettings(@Param('id', PathId.uuid) id: string): Promise<SmsSettingsDto> {
    return toSmsSettingsDto(id, await this.sms.settings(id));
  }

  @Patch('customers/:id/sms')
  @RequireRole()
  @ApiOperation({ summary: "Set a customer's SMS", description: 'Sender, daily caps, countries.' })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: SmsSettingsDto, description: 'The changed settings.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER)
  async configureSms(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() body: ConfigureSmsDto,
  ): Promise<SmsSettingsDto> {
    const { enabled, sender_id: senderId, daily_cap: dailyCap, daily_parts_cap: dailyPartsCap, countries } = body;
    const change = { enabled, senderId, dailyCap, dailyPartsCap, countries };
    return toSmsSettingsDto(id, await this.sms.configure(actor, id, change));
  }
}
