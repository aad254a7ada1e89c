import { SubCommand } from 'nest-commander';
import { TokensOperatorService } from '@platform/tokens';
import { optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { token } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  token,
  graceHours: optional('--grace-hours <n>', 'hours that the old one stays valid; default 24', read.wholeNumber),
};

@SubCommand({ name: 'rotate', description: 'issue a token that replaces another' })
export class TokenRotateCommand extends commandWith(options) {
  constructor(private readonly serviceTokens: TokensOperatorService) {
    super();
  }

  protected execute({ token, graceHours = 24 }: Values<typeof options>) {
    return this.serviceTokens.rotate(this.actor, token, graceHours);
  }
}
