import { Option, SubCommand } from 'nest-commander';
import { ServicesOperatorService } from '@domains/services';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
}

@SubCommand({ name: 'list', description: 'list the services of a customer' })
export class ServiceListCommand extends OperatorCommand<Options> {
  constructor(private readonly customerServices: ServicesOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.customerServices.list(customer);
  }
}
