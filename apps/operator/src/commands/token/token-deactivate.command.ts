import { SubCommand } from 'nest-commander';
import { TokensOperatorService } from '@platform/tokens';
import type { Values } from '../../options/option';
import { token } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { token };

@SubCommand({ name: 'deactivate', description: 'deactivate a token at once' })
export class TokenDeactivateCommand extends commandWith(options) {
  constructor(private readonly serviceTokens: TokensOperatorService) {
    super();
  }

  protected execute({ token }: Values<typeof options>) {
    return this.serviceTokens.deactivate(this.actor, token);
  }
}
