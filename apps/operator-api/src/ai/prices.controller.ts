import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AiPricesOperatorService } from '@domains/ai';
import { ProblemReplies, toInboxPageDto } from '@platform/http';
import { wholeInbox } from '@platform/pagination';
import { BillingCalendar } from '@platform/time';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
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

@ApiTags('AI')
@Controller()
export class PricesController {
  constructor(
    private readonly prices: AiPricesOperatorService,
    private readonly calendar: BillingCalendar,
  ) {}

  @Get('prices')
  @AnyRole()
  @ApiOperation({ summary: 'List prices', description: 'Of all models, the newest of each first.' })
  @ApiOkResponse({ type: PricePageDto, description: 'The prices.' })
  async listPrices(): Promise<PricePageDto> {
    const prices = wholeInbox(await this.prices.list());
    return toInboxPageDto(prices, (price) => toListedPriceDto(price, this.calendar));
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
    const price = await this.prices.set(actor, { model, ...rates, from: body.from ?? undefined });
    return toPriceDto(price, this.calendar);
  }

  @Post('prices/withdraw')
  @HttpCode(HttpStatus.OK)
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({
    summary: 'Take back a price',
    description: 'Until a minute before it begins; to correct it, set it again.',
  })
  @ApiOkResponse({ type: PriceDto, description: 'The price that was taken back.' })
  @ProblemReplies('invalid_request', 'cross_site_request', 'not_found')
  async withdrawPrice(@Actor() actor: string, @Body() { model, from }: WithdrawPriceDto): Promise<PriceDto> {
    return toPriceDto(await this.prices.withdraw(actor, model, from), this.calendar);
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
}
