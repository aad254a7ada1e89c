import { Option, SubCommand } from 'nest-commander';
import { AiCreditOperatorService } from '@domains/ai';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
}

@SubCommand({ name: 'usage', description: "list a customer's charged AI calls, newest first" })
export class AiUsageCommand extends OperatorCommand<Options> {
  constructor(private readonly credit: AiCreditOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.credit.usage(customer);
  }
}
