import { SubCommand } from 'nest-commander';
import { AiCreditOperatorService } from '@domains/ai';
import type { Values } from '../../options/option';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer };

@SubCommand({ name: 'usage', description: "list a customer's charged AI calls, newest first" })
export class AiUsageCommand extends commandWith(options) {
  constructor(private readonly credit: AiCreditOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.credit.usage(customer);
  }
}
