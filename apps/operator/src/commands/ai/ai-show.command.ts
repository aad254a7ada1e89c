import { Option, SubCommand } from 'nest-commander';
import { AiConfigurationOperatorService } from '@domains/ai';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
}

@SubCommand({ name: 'show', description: "show a customer's AI settings and balances" })
export class AiShowCommand extends OperatorCommand<Options> {
  constructor(private readonly configuration: AiConfigurationOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.configuration.show(customer);
  }
}
