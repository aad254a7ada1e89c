import { SubCommand } from 'nest-commander';
import { TokensOperatorService } from '@platform/tokens';
import { required, type Values } from '../../options/option';
import { token } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { token, name: required('--name <text>', 'what it is for; the customer sees it in reports') };

@SubCommand({ name: 'rename', description: 'name a token, or change its name' })
export class TokenRenameCommand extends commandWith(options) {
  constructor(private readonly serviceTokens: TokensOperatorService) {
    super();
  }

  protected execute({ token, name }: Values<typeof options>) {
    return this.serviceTokens.rename(this.actor, token, name);
  }
}
