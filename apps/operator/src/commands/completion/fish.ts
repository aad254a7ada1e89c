import type { Noun } from '../command';
import { verbWords } from './words';

/** Completes nouns, verbs, options with their descriptions, and values of options that are one of few words. */
export function fishCompletion(nouns: readonly Noun[]): string {
  const begin = nouns.map(
    ({ name, description }) => `complete -c operator -f -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
  );
  const verbs = verbWords(nouns).flatMap(({ noun, verb, description, options }) => [
    `complete -c operator -f -n '__fish_seen_subcommand_from ${noun}; and test (count (commandline -opc)) -eq 2' -a ${verb} -d ${quoted(description)}`,
    ...options.map(
      ({ flag, description: about, takesValue, choices }) =>
        `complete -c operator -f -n '__fish_seen_subcommand_from ${noun}; and __fish_seen_subcommand_from ${verb}' -l ${flag.slice(2)}` +
        `${takesValue ? ' -r' : ''}${choices.length > 0 ? ` -a '${choices.join(' ')}'` : ''} -d ${quoted(about)}`,
    ),
  ]);
  return ['# operator completion fish > ~/.config/fish/completions/operator.fish', ...begin, ...verbs, ''].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
