import { SubCommand } from 'nest-commander';
import { ProviderKeysOperatorService } from '@domains/ai';
import { commandWith } from '../operator-command';

@SubCommand({
  name: 'reencrypt',
  description:
    'encrypt the provider keys of customers under SECRETS_KEY that are still under FORMER_SECRETS_KEY; fails if one opens under neither',
})
export class SecretsReencryptCommand extends commandWith({}) {
  constructor(private readonly keys: ProviderKeysOperatorService) {
    super();
  }

  protected async execute() {
    const results = await this.keys.reencrypt(this.actor);
    if (results.some(({ result }) => result === 'unreadable')) process.exitCode = 1;
    return results;
  }
}
