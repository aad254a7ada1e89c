import { COMMON_OPTIONS } from '../options/global-options';
import type { Noun, TextCommand } from './command';

/** The words that a shell completes after `operator <noun> <verb>`. */
interface VerbWords {
  noun: string;
  verb: string;
  description: string;
  options: { flag: string; description: string; takesValue: boolean; choices: readonly string[] }[];
}

/** The words of all commands. */
function verbWords(nouns: readonly Noun[]): VerbWords[] {
  return nouns.flatMap((noun) =>
    noun.commands.map(({ name, description, options }) => ({
      ...{ noun: noun.name, verb: name, description },
      options: [
        ...Object.values(options).map((option) => words(option.flags, option.description, option.parse.choices)),
        ...COMMON_OPTIONS.map(([flags, about, choices]) => words(flags, about, choices)),
      ],
    })),
  );
}

function words(flags: string, description: string, choices: readonly string[] = []): VerbWords['options'][number] {
  const flag = /--[a-z0-9-]+/.exec(flags)?.[0] ?? '';
  return { flag, description, takesValue: flags.includes('<'), choices };
}

/** Completes nouns, verbs, options, and values of options that are one of few words. */
function bashCompletion(nouns: readonly Noun[]): string {
  const verbs = nouns.map(
    ({ name, commands }) => `    ${name}) words='${commands.map((one) => one.name).join(' ')}' ;;`,
  );
  const all = verbWords(nouns);
  const options = all.map(
    ({ noun, verb, options }) => `    '${noun} ${verb}') words='${options.map(({ flag }) => flag).join(' ')}' ;;`,
  );
  const values = all.flatMap(({ noun, verb, options }) =>
    options.flatMap(({ flag, choices, takesValue }) =>
      takesValue ? [`    '${noun} ${verb} ${flag}') words='${choices.join(' ')}' value=1 ;;`] : [],
    ),
  );
  return `# operator completion bash > ~/.local/share/bash-completion/completions/operator
_operator() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words='' value=''
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]} $previous" in
${values.join('\n')}
  esac
  if [ -n "$value" ]; then :
  elif [ "$COMP_CWORD" -eq 1 ]; then words='${nouns.map(({ name }) => name).join(' ')} --help --version'
  elif [ "$COMP_CWORD" -eq 2 ]; then case "\${COMP_WORDS[1]}" in
${verbs.join('\n')}
  esac
  else case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${options.join('\n')}
  esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _operator operator
`;
}

/** zsh runs bash's completions. */
function zshCompletion(nouns: readonly Noun[]): string {
  const script = bashCompletion(nouns).split('\n').slice(1).join('\n');
  return `# operator completion zsh > ~/.operator-completion.zsh, and in ~/.zshrc: source ~/.operator-completion.zsh
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${script}`;
}

/** Completes nouns, verbs, options with their descriptions, and values of options that are one of few words. */
function fishCompletion(nouns: readonly Noun[]): string {
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

const shell = (name: string, text: TextCommand['text']): TextCommand => ({
  name,
  description: `print the script for ${name}`,
  options: {},
  examples: [''],
  text,
});

export const completionNoun: Noun = {
  name: 'completion',
  description: 'scripts by which a shell completes commands and options',
  commands: [shell('bash', bashCompletion), shell('zsh', zshCompletion), shell('fish', fishCompletion)],
};
