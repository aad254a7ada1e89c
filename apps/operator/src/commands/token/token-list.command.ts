import { SubCommand } from 'nest-commander';
import { TokensOperatorService } from '@platform/tokens';
import type { Values } from '../../options/option';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer };

@SubCommand({ name: 'list', description: 'list the tokens of a customer' })
export class TokenListCommand extends commandWith(options) {
  constructor(private readonly serviceTokens: TokensOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.serviceTokens.list(customer);
  }
}
