import { SubCommand } from 'nest-commander';
import { CustomersOperatorService } from '@domains/customers';
import { optional, required, type Values } from '../../options/option';
import { commandWith } from '../operator-command';

const options = {
  name: required('--name <name>', 'name of the company'),
  orgNumber: required('--org-number <number>', 'Norwegian organisation number'),
  email: required('--email <address>', 'address that the operator writes to'),
  customerNumber: optional('--customer-number <number>', 'number of your own; default the next free one'),
};

@SubCommand({ name: 'create', description: 'add a customer' })
export class CustomerCreateCommand extends commandWith(options) {
  constructor(private readonly customers: CustomersOperatorService) {
    super();
  }

  protected execute({ name, orgNumber, email, customerNumber }: Values<typeof options>) {
    return this.customers.create(this.actor, { name, organizationNumber: orgNumber, email, customerNumber });
  }
}
