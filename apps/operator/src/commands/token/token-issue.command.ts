import { Option, SubCommand } from 'nest-commander';
import { type Scope, TokensOperatorService } from '@platform/tokens';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
  scopes: Scope[];
  expiresAt?: Date;
}

@SubCommand({ name: 'issue', description: 'issue a token; it is shown only once' })
export class TokenIssueCommand extends OperatorCommand<Options> {
  constructor(private readonly serviceTokens: TokensOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--scopes <list>', description: 'scopes, separated by commas', required: true })
  parseScopes(text: string): Scope[] {
    return read.scopes(text);
  }

  @Option({ flags: '--expires-at <time>', description: 'when it expires; default never' })
  parseExpiresAt(text: string): Date {
    return read.time(text);
  }

  protected execute({ customer, scopes, expiresAt }: Options) {
    return this.serviceTokens.issue(this.actor, { customerId: customer, scopes, expiresAt });
  }
}
