import { Injectable } from '@nestjs/common';
import { And, DataSource, type EntityManager, LessThanOrEqual, MoreThan } from 'typeorm';
import { AuditService } from '@platform/audit';
import { NO_CUSTOMER } from '@platform/context';
import { AppConfig } from '@platform/config';
import { databaseNow, isUniqueViolation } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { decimalText, timesRoundedUp } from '@platform/money';
import { BillingCalendar } from '@platform/time';
import { AiModelPrice } from '../entities/ai-model-price.entity';

/** A new price, in NOK per million tokens as decimal texts. */
export interface NewAiPrice {
  model: string;
  input: string;
  output: string;
  /** Default: 1.25 × input, as in the provider's price list. */
  cacheWrite5m?: string;
  /** Default: 2 × input. */
  cacheWrite1h?: string;
  /** Default: 0.1 × input. */
  cacheRead?: string;
  /** First day (`YYYY-MM-DD`, in the billing time zone); default: now. */
  from?: string;
}

/** A price, and whether it is the one that calls have now. */
export type ListedAiPrice = AiModelPrice & { inForce: boolean };

/** A model that a customer can be given: it has a price in force. */
export interface OfferedModel {
  price: AiModelPrice;
  /** How many customers may use it. */
  customers: number;
  /** The one to propose: see {@link AiPricesOperatorService.models}. */
  usual: boolean;
}

/** A price can be taken back until so long before it begins: a call may have it as soon as it has begun. */
const WITHDRAWN_BEFORE_MS = 60_000;
const DECIMALS = 6;
const MOST_NOK = 1_000_000;
const MODEL_NAME = /^[\w.:@/-]{1,200}$/;

/**
 * The provider's public prices in USD per million tokens, as read on 2026-11-20. Examples for trying the service; the
 * operator sets the prices that customers pay.
 */
const EXAMPLE_PRICES_USD = [
  { model: 'claude-opus-5', input: '5', cacheWrite5m: '6.25', cacheWrite1h: '10', cacheRead: '0.5', output: '25' },
  { model: 'claude-sonnet-4-5', input: '3', cacheWrite5m: '3.75', cacheWrite1h: '6', cacheRead: '0.3', output: '15' },
  { model: 'claude-haiku-4-5', input: '1', cacheWrite5m: '1.25', cacheWrite1h: '2', cacheRead: '0.1', output: '5' },
] as const;

/** Manages model prices for the operator. A price never changes: a new one replaces it from a date on. */
@Injectable()
export class AiPricesOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly calendar: BillingCalendar,
    private readonly config: AppConfig,
  ) {}

  /**
   * Sets a model's price from a moment on. @throws ServiceError invalid_request if it already has a price from that
   * moment, or one since then that is valid now: no call would have the new one
   */
  async set(actor: string, { model, from, ...given }: NewAiPrice): Promise<AiModelPrice> {
    if (!MODEL_NAME.test(model)) throw new ServiceError('invalid_request', `${model} is not the name of a model`);
    const rates = checked(given);
    let validFrom = from === undefined ? undefined : this.calendar.startOf(from);
    try {
      return await this.dataSource.transaction(async (manager) => {
        const now = await databaseNow(manager);
        validFrom ??= now;
        await refuseReplaced(manager, model, validFrom, now);
        const price = await insertPrice(manager, { model, validFrom, example: false, ...complete(rates) });
        const metadata = { model, valid_from: validFrom.toISOString(), ...rates };
        await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'ai.price', metadata });
        return price;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new ServiceError(
        'invalid_request',
        `The model ${model} already has a price from ${validFrom?.toISOString() ?? 'now'}`,
      );
    }
  }

  /**
   * Takes back a price that does not begin within a minute: no call has it, nor gets it before the price is gone.
   * @throws ServiceError not_found, invalid_request if it has begun or is about to
   */
  withdraw(actor: string, model: string, from: string): Promise<AiModelPrice> {
    const validFrom = this.calendar.startOf(from);
    return this.dataSource.transaction(async (manager) => {
      const price = await manager.findOneBy(AiModelPrice, { model, validFrom });
      if (!price) throw new ServiceError('not_found', `The model ${model} has no price from ${from}`);
      if (validFrom.getTime() - (await databaseNow(manager)).getTime() <= WITHDRAWN_BEFORE_MS)
        throw new ServiceError('invalid_request', 'The price has begun or is about to; replace it with another one');
      await manager.delete(AiModelPrice, { model, validFrom });
      const metadata = { model, valid_from: validFrom.toISOString(), input: price.input, output: price.output };
      await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'ai.withdraw-price', metadata });
      return price;
    });
  }

  /** All prices, by model, newest first. */
  async list(): Promise<ListedAiPrice[]> {
    const now = await databaseNow(this.dataSource.manager);
    const prices = await this.dataSource.manager.find(AiModelPrice, { order: { model: 'ASC', validFrom: 'DESC' } });
    const inForce = new Map<string, AiModelPrice>();
    for (const price of prices)
      if (price.validFrom <= now && !inForce.has(price.model)) inForce.set(price.model, price);
    return prices.map((price) => Object.assign(price, { inForce: inForce.get(price.model) === price }));
  }

  /**
   * The models that have a price in force, by name. Usual is the only one, or the one that more customers may use than any other;
   * beside prices of the operator, those of examples do not count.
   */
  async models(): Promise<OfferedModel[]> {
    const prices = (await this.list()).filter(({ inForce }) => inForce);
    const counts = await this.dataSource.query<{ model: string; customers: number }[]>(
      'select model, count(*)::int as customers from ai_settings where enabled and model is not null group by model',
    );
    const customersOf = new Map(counts.map(({ model, customers }) => [model, customers]));
    const own = prices.filter(({ example }) => !example);
    const [first, second] = (own.length > 0 ? own : prices)
      .map(({ model }) => ({ model, customers: customersOf.get(model) ?? 0 }))
      .sort((one, other) => other.customers - one.customers);
    const usual = first && first.customers !== second?.customers ? first.model : undefined;
    return prices.map((price) => ({
      price,
      customers: customersOf.get(price.model) ?? 0,
      usual: price.model === usual,
    }));
  }

  /**
   * Adds example prices for a few models, so that a fresh installation can be tried: the provider's public prices at
   * AI_EXAMPLE_NOK_PER_USD, marked as examples. A model that has a price keeps it. @returns the models that got a price
   */
  async addExamples(): Promise<string[]> {
    const rate = String(this.config.AI_EXAMPLE_NOK_PER_USD);
    const nok = (usd: string) => timesRoundedUp(usd, rate, DECIMALS);
    return this.dataSource.transaction(async (manager) => {
      const validFrom = await databaseNow(manager);
      const added: string[] = [];
      for (const { model, input, output, cacheWrite5m, cacheWrite1h, cacheRead } of EXAMPLE_PRICES_USD) {
        if (await manager.existsBy(AiModelPrice, { model })) continue;
        await insertPrice(manager, {
          model,
          validFrom,
          example: true,
          input: nok(input),
          output: nok(output),
          cacheWrite5m: nok(cacheWrite5m),
          cacheWrite1h: nok(cacheWrite1h),
          cacheRead: nok(cacheRead),
        });
        added.push(model);
      }
      return added;
    });
  }
}

/** Rates as plain decimal texts. @throws ServiceError invalid_request that names the rate */
function checked<Rates extends Partial<Record<keyof typeof RATE_NAMES, string>>>(given: Rates): Rates {
  const rates = Object.entries(given).map(([name, rate]: [string, string | undefined]) => [
    name,
    rate === undefined ? undefined : rateText(RATE_NAMES[name as keyof typeof RATE_NAMES], rate),
  ]);
  return Object.fromEntries(rates) as Rates;
}

const RATE_NAMES = {
  input: 'input',
  output: 'output',
  cacheRead: 'cache reads',
  cacheWrite5m: 'cache writes for 5 minutes',
  cacheWrite1h: 'cache writes for 1 hour',
};

function rateText(of: string, rate: string): string {
  try {
    return decimalText(rate, { decimals: DECIMALS, most: MOST_NOK });
  } catch (error) {
    throw error instanceof ServiceError
      ? new ServiceError('invalid_request', `The price of ${of}: ${error.detail}`)
      : error;
  }
}

type Rates = Pick<AiModelPrice, 'input' | 'output' | 'cacheWrite5m' | 'cacheWrite1h' | 'cacheRead'>;

function complete({ input, output, cacheWrite5m, cacheWrite1h, cacheRead }: Omit<NewAiPrice, 'model' | 'from'>): Rates {
  return {
    input,
    output,
    cacheWrite5m: cacheWrite5m ?? timesRoundedUp(input, '1.25', DECIMALS),
    cacheWrite1h: cacheWrite1h ?? timesRoundedUp(input, '2', DECIMALS),
    cacheRead: cacheRead ?? timesRoundedUp(input, '0.1', DECIMALS),
  };
}

/** @throws ServiceError invalid_request */
async function refuseReplaced(manager: EntityManager, model: string, validFrom: Date, now: Date): Promise<void> {
  const later = And(MoreThan(validFrom), LessThanOrEqual(now));
  const [since] = await manager.find(AiModelPrice, {
    where: { model, validFrom: later },
    order: { validFrom: 'DESC' },
    take: 1,
  });
  if (!since) return;
  throw new ServiceError(
    'invalid_request',
    `The model ${model} has another price since ${since.validFrom.toISOString()}, which goes on: a price from ` +
      `${validFrom.toISOString()} would charge no call. Leave out --from, and it is valid from now on`,
  );
}

async function insertPrice(manager: EntityManager, price: Omit<AiModelPrice, 'createdAt'>): Promise<AiModelPrice> {
  await manager.insert(AiModelPrice, price);
  return manager.findOneByOrFail(AiModelPrice, { model: price.model, validFrom: price.validFrom });
}
