import { SubCommand } from 'nest-commander';
import { CustomersOperatorService } from '@domains/customers';
import type { Values } from '../../options/option';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer };

@SubCommand({ name: 'show', description: 'show a customer and its limits' })
export class CustomerShowCommand extends commandWith(options) {
  constructor(private readonly customers: CustomersOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.customers.find(customer);
  }
}
