import { Option, SubCommand } from 'nest-commander';
import { AiCreditOperatorService } from '@domains/ai';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
}

@SubCommand({ name: 'ledger', description: "list a customer's AI ledger, newest first" })
export class AiLedgerCommand extends OperatorCommand<Options> {
  constructor(private readonly credit: AiCreditOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.credit.ledger(customer);
  }
}
