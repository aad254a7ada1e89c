import { SubCommand } from 'nest-commander';
import { CustomersOperatorService } from '@domains/customers';
import type { Values } from '../../options/option';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer };

@SubCommand({ name: 'activate', description: "accept a customer's tokens again" })
export class CustomerActivateCommand extends commandWith(options) {
  constructor(private readonly customers: CustomersOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.customers.setActive(this.actor, customer, true);
  }
}
