import { SubCommand } from 'nest-commander';
import { AiPrices } from '@app/ai';
import { OperatorCommand } from '../operator-command';

/** `ai prices`: what the models cost, and from when. */
@SubCommand({ name: 'prices', description: 'list what the models cost, and from when' })
export class AiPricesCommand extends OperatorCommand {
  constructor(private readonly prices: AiPrices) {
    super();
  }

  protected execute() {
    return this.prices.list();
  }
}
