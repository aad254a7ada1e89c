import { SubCommand } from 'nest-commander';
import { TokensOperatorService } from '@platform/tokens';
import { optional, required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  customer,
  scopes: required('--scopes <list>', 'scopes, separated by commas', read.scopes),
  name: optional('--name <text>', 'what it is for, such as "ERP production"; the customer sees it in reports'),
  expiresAt: optional('--expires-at <time>', 'when it expires; default never', read.time),
};

@SubCommand({ name: 'issue', description: 'issue a token; it is shown only once' })
export class TokenIssueCommand extends commandWith(options) {
  constructor(private readonly serviceTokens: TokensOperatorService) {
    super();
  }

  protected execute({ customer, name, scopes, expiresAt }: Values<typeof options>) {
    return this.serviceTokens.issue(this.actor, { customerId: customer, name, scopes, expiresAt });
  }
}
