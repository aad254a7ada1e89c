import { Option, SubCommand } from 'nest-commander';
import { TokensOperatorService } from '@platform/tokens';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
}

@SubCommand({ name: 'list', description: 'list the tokens of a customer' })
export class TokenListCommand extends OperatorCommand<Options> {
  constructor(private readonly serviceTokens: TokensOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.serviceTokens.list(customer);
  }
}
