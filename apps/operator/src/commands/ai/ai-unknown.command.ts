import { SubCommand } from 'nest-commander';
import { AiCreditOperatorService } from '@domains/ai';
import type { Values } from '../../options/option';
import { anyCustomer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer: anyCustomer };

@SubCommand({
  name: 'unknown',
  description: 'list calls with an unknown outcome: not charged, the provider may bill them',
})
export class AiUnknownCommand extends commandWith(options) {
  constructor(private readonly credit: AiCreditOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.credit.unknownOutcomes(customer);
  }
}
