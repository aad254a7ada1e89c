import { Option, SubCommand } from 'nest-commander';
import { TokensOperatorService } from '@platform/tokens';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  token: string;
}

@SubCommand({ name: 'deactivate', description: 'deactivate a token at once' })
export class TokenDeactivateCommand extends OperatorCommand<Options> {
  constructor(private readonly serviceTokens: TokensOperatorService) {
    super();
  }

  @Option({ flags: '--token <id>', description: 'id of the token', required: true })
  parseToken(text: string): string {
    return read.uuid(text);
  }

  protected execute({ token }: Options) {
    return this.serviceTokens.deactivate(this.actor, token);
  }
}
