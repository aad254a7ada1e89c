import type { Noun } from '../command';
import { bashCompletion } from './bash';

/** zsh runs bash's completions. */
export function zshCompletion(nouns: readonly Noun[]): string {
  const script = bashCompletion(nouns).split('\n').slice(1).join('\n');
  return `# operator completion zsh > ~/.operator-completion.zsh, and in ~/.zshrc: source ~/.operator-completion.zsh
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${script}`;
}
