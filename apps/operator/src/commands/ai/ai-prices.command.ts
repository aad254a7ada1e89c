import { SubCommand } from 'nest-commander';
import { AiPricesOperatorService } from '@domains/ai';
import { OperatorCommand } from '../operator-command';

@SubCommand({ name: 'prices', description: 'list what the models cost, and from when' })
export class AiPricesCommand extends OperatorCommand {
  constructor(private readonly prices: AiPricesOperatorService) {
    super();
  }

  protected execute() {
    return this.prices.list();
  }
}
