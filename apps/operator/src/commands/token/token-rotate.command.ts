import { Option, SubCommand } from 'nest-commander';
import { TokensOperatorService } from '@platform/tokens';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  token: string;
  graceHours?: number;
}

@SubCommand({ name: 'rotate', description: 'issue a token that replaces another' })
export class TokenRotateCommand extends OperatorCommand<Options> {
  constructor(private readonly serviceTokens: TokensOperatorService) {
    super();
  }

  @Option({ flags: '--token <id>', description: 'id of the token', required: true })
  parseToken(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--grace-hours <n>', description: 'hours that the old one stays valid; default 24' })
  parseGraceHours(text: string): number {
    return read.wholeNumber(text);
  }

  protected execute({ token, graceHours = 24 }: Options) {
    return this.serviceTokens.rotate(this.actor, token, graceHours);
  }
}
