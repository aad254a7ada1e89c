import { SubCommand } from 'nest-commander';
import { AiConfigurationOperatorService } from '@domains/ai';
import type { Values } from '../../options/option';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer };

@SubCommand({ name: 'show', description: "show a customer's AI settings and balances" })
export class AiShowCommand extends commandWith(options) {
  constructor(private readonly configuration: AiConfigurationOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.configuration.show(customer);
  }
}
