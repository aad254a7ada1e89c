import { Option, SubCommand } from 'nest-commander';
import { CustomersOperatorService } from '@domains/customers';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
}

@SubCommand({ name: 'show', description: 'show a customer and its limits' })
export class CustomerShowCommand extends OperatorCommand<Options> {
  constructor(private readonly customers: CustomersOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.customers.find(customer);
  }
}
