import { Body, Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AiConfigurationOperatorService, AiCreditOperatorService } from '@domains/ai';
import { PathId, ProblemReplies } from '@platform/http';
import { amountOrNull } from '@platform/money';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
import { CUSTOMER_ID, NO_SUCH_CUSTOMER } from '../customers/of-customer.dto';
import { AddCreditDto, AiSettingsDto, ConfigureAiDto, toAiSettingsDto } from './ai-settings.dto';

@ApiTags('AI')
@Controller()
export class AiSettingsController {
  constructor(
    private readonly configuration: AiConfigurationOperatorService,
    private readonly credit: AiCreditOperatorService,
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

  @Post('customers/:id/ai/credit')
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({
    summary: "Correct a customer's credit",
    description: 'With an adjustment or a refund, which stays in its ledger.',
  })
  @ApiParam(CUSTOMER_ID)
  @ApiCreatedResponse({ type: AiSettingsDto, description: 'The settings with the new balances.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER)
  async addCredit(
    @Actor() actor: string,
    @Param('id', PathId.uuid) customerId: string,
    @Body() { kind, amount_nok: amountNok, note }: AddCreditDto,
  ): Promise<AiSettingsDto> {
    await this.credit.adjust(actor, { customerId, kind, amountNok, note });
    return toAiSettingsDto(await this.configuration.show(customerId));
  }
}
