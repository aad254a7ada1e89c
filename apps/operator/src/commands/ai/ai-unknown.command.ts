import { SubCommand } from 'nest-commander';
import { AiCreditOperatorService } from '@domains/ai';
import type { Values } from '../../options/option';
import { after, anyCustomer, limit, listingOf } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer: anyCustomer, limit, after };

@SubCommand({
  name: 'unknown',
  description: 'list calls with an unknown outcome: not charged, the provider may bill them',
})
export class AiUnknownCommand extends commandWith(options) {
  constructor(private readonly credit: AiCreditOperatorService) {
    super();
  }

  protected execute({ customer, ...listing }: Values<typeof options>) {
    return this.credit.unknownOutcomes(customer, listingOf(listing));
  }
}
