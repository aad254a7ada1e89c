import { Option, SubCommand } from 'nest-commander';
import { AiPricesOperatorService, type NewAiPrice } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { decimalText } from '@platform/money';
import { OperatorCommand } from '../operator-command';

type Options = NewAiPrice;

@SubCommand({ name: 'price', description: 'set what a model costs, in NOK per million tokens, from a date on' })
export class AiPriceCommand extends OperatorCommand<Options> {
  constructor(private readonly prices: AiPricesOperatorService) {
    super();
  }

  @Option({ flags: '--model <model>', description: "the provider's name of the model", required: true })
  parseModel(text: string): string {
    if (!/^[\w.:@/-]{1,200}$/.test(text))
      throw new ServiceError('invalid_request', `${text} is not the name of a model`);
    return text;
  }

  @Option({ flags: '--input <nok>', description: 'input tokens', required: true })
  parseInput(text: string): string {
    return rate(text);
  }

  @Option({ flags: '--output <nok>', description: 'output tokens', required: true })
  parseOutput(text: string): string {
    return rate(text);
  }

  @Option({
    flags: '--cache-write-5m <nok>',
    description: 'cache writes for 5 minutes (1.25 × input)',
  })
  parseCacheWrite5m(text: string): string {
    return rate(text);
  }

  @Option({ flags: '--cache-write-1h <nok>', description: 'cache writes for 1 hour (2 × input)' })
  parseCacheWrite1h(text: string): string {
    return rate(text);
  }

  @Option({ flags: '--cache-read <nok>', description: 'cache reads (0.1 × input)' })
  parseCacheRead(text: string): string {
    return rate(text);
  }

  @Option({ flags: '--from <date>', description: 'first day, YYYY-MM-DD in the billing time zone (now)' })
  parseFrom(text: string): string {
    const day = new Date(`${text}T00:00:00Z`);
    if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text) {
      throw new ServiceError('invalid_request', `${text} is not a date (YYYY-MM-DD)`);
    }
    return text;
  }

  protected execute(price: Options & { json?: boolean }) {
    const { model, input, output, cacheWrite5m, cacheWrite1h, cacheRead, from } = price;
    return this.prices.set(this.actor, { model, input, output, cacheWrite5m, cacheWrite1h, cacheRead, from });
  }
}

function rate(text: string): string {
  return decimalText(text, { decimals: 6, most: 1_000_000 });
}
