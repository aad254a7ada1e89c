import { Body, Controller, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AiConfigurationOperatorService, AiPricesOperatorService, AiVerificationOperatorService } from '@domains/ai';
import { PathId, ProblemReplies, toInboxPageDto } from '@platform/http';
import { amountOrNull } from '@platform/money';
import { wholeInbox } from '@platform/pagination';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
import {
  AiSettingsDto,
  ConfigureAiDto,
  toAiSettingsDto,
  toLedgerProblemDto,
  VerificationDto,
  VerificationQueryDto,
} from './ai-settings.dto';
import {
  OfferedModelListDto,
  PriceDto,
  PricePageDto,
  SetPriceDto,
  toListedPriceDto,
  toOfferedModelDto,
  toPriceDto,
  WithdrawPriceDto,
} from './price.dto';

const CUSTOMER_ID = { name: 'id', description: 'The customer.', schema: { type: 'string', format: 'uuid' } } as const;
const NO_SUCH_CUSTOMER = ['not_found', 'There is no customer b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'] as const;

@ApiTags('AI')
@Controller()
export class AiSettingsController {
  constructor(
    private readonly configuration: AiConfigurationOperatorService,
    private readonly prices: AiPricesOperatorService,
    private readonly verification: AiVerificationOperatorService,
  ) {}

  @Get('customers/:id/ai')
  @AnyRole()
  @ApiOperation({ summary: "Read a customer's AI settings", description: 'With its balances.' })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: AiSettingsDto, description: 'The settings.' })
  @ProblemReplies(NO_SUCH_CUSTOMER)
  async getAiSettings(@Param('id', PathId.uuid) id: string): Promise<AiSettingsDto> {
    return toAiSettingsDto(await this.configuration.show(id));
  }

  @Patch('customers/:id/ai')
  @RequireRole()
  @FreshLogin()
  @ApiOperation({ summary: "Set a customer's AI", description: 'Model, included credit, limits, provider key.' })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: AiSettingsDto, description: 'The changed settings.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER)
  async configureAi(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() body: ConfigureAiDto,
  ): Promise<AiSettingsDto> {
    const { enabled, model, provider_key: apiKey, credit_thresholds: thresholds } = body;
    const creditThresholds = thresholds && [...thresholds].sort((one, other) => one - other);
    const limits = {
      includedNok: body.included_nok === undefined ? undefined : String(body.included_nok),
      monthlyLimitNok: amountOrNull(body.monthly_limit_nok),
      totalLimitNok: amountOrNull(body.total_limit_nok),
    };
    return toAiSettingsDto(
      await this.configuration.configure(actor, id, { enabled, model, apiKey, creditThresholds, ...limits }),
    );
  }

  @Get('prices')
  @AnyRole()
  @ApiOperation({ summary: 'List prices', description: 'Of all models, the newest of each first.' })
  @ApiOkResponse({ type: PricePageDto, description: 'The prices.' })
  async listPrices(): Promise<PricePageDto> {
    return toInboxPageDto(wholeInbox(await this.prices.list()), toListedPriceDto);
  }

  @Post('prices')
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({ summary: 'Set a price', description: 'From a date on. A price is never changed, only replaced.' })
  @ApiCreatedResponse({ type: PriceDto, description: 'The new price.' })
  @ProblemReplies('invalid_request', 'cross_site_request')
  async setPrice(@Actor() actor: string, @Body() body: SetPriceDto): Promise<PriceDto> {
    const {
      model,
      input,
      output,
      cache_write_5m: cacheWrite5m,
      cache_write_1h: cacheWrite1h,
      cache_read: cacheRead,
    } = body;
    const rates = { input, output, cacheWrite5m, cacheWrite1h, cacheRead };
    return toPriceDto(await this.prices.set(actor, { model, ...rates, from: body.from ?? undefined }));
  }

  @Post('prices/withdraw')
  @HttpCode(HttpStatus.OK)
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({ summary: 'Take back a price', description: 'One that has not begun; to correct it, set it again.' })
  @ApiOkResponse({ type: PriceDto, description: 'The price that was taken back.' })
  @ProblemReplies('invalid_request', 'cross_site_request', 'not_found')
  async withdrawPrice(@Actor() actor: string, @Body() { model, from }: WithdrawPriceDto): Promise<PriceDto> {
    return toPriceDto(await this.prices.withdraw(actor, model, from));
  }

  @Get('ai/models')
  @AnyRole()
  @ApiOperation({
    summary: 'List the models that a customer can be given',
    description: 'Those with a price in force.',
  })
  @ApiOkResponse({ type: OfferedModelListDto, description: 'The models, by name.' })
  async listModels(): Promise<OfferedModelListDto> {
    return { data: (await this.prices.models()).map(toOfferedModelDto) };
  }

  @Get('ai/verification')
  @AnyRole()
  @ApiOperation({
    summary: 'Check accounts against their ledgers',
    description: 'Of one customer or of all, which takes a while.',
  })
  @ApiOkResponse({ type: VerificationDto, description: 'The differences.' })
  @ProblemReplies('invalid_request')
  async verifyAccounts(@Query() { customer_id: customerId }: VerificationQueryDto): Promise<VerificationDto> {
    const accounts = await this.verification.accounts(customerId);
    return { accounts, problems: (await this.verification.verify(customerId)).map(toLedgerProblemDto) };
  }
}
