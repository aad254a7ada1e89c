import { Option, SubCommand } from 'nest-commander';
import { CustomersOperatorService } from '@domains/customers';
import { OperatorCommand } from '../operator-command';

interface Options {
  name: string;
  orgNumber: string;
  email: string;
  customerNumber?: string;
}

@SubCommand({ name: 'create', description: 'add a customer' })
export class CustomerCreateCommand extends OperatorCommand<Options> {
  constructor(private readonly customers: CustomersOperatorService) {
    super();
  }

  @Option({ flags: '--name <name>', description: 'name of the company', required: true })
  parseName(text: string): string {
    return text;
  }

  @Option({ flags: '--org-number <number>', description: 'Norwegian organisation number', required: true })
  parseOrgNumber(text: string): string {
    return text;
  }

  @Option({ flags: '--email <address>', description: 'address that the operator writes to', required: true })
  parseEmail(text: string): string {
    return text;
  }

  @Option({ flags: '--customer-number <number>', description: 'number of your own; default the next free one' })
  parseCustomerNumber(text: string): string {
    return text;
  }

  protected execute({ name, orgNumber, email, customerNumber }: Options) {
    return this.customers.create(this.actor, { name, organizationNumber: orgNumber, email, customerNumber });
  }
}
