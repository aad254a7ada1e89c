import { SubCommand } from 'nest-commander';
import { CustomersOperatorService } from '@domains/customers';
import { OperatorCommand } from '../operator-command';

@SubCommand({ name: 'list', description: 'list all customers' })
export class CustomerListCommand extends OperatorCommand {
  constructor(private readonly customers: CustomersOperatorService) {
    super();
  }

  protected async execute() {
    const customers = await this.customers.list();
    return customers.map(({ id, customerNumber, name, organizationNumber, email, active }) => ({
      ...{ id, customerNumber, name, organizationNumber, email, active },
    }));
  }
}
