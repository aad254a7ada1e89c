import type { Noun } from '../command';
import { verbWords } from './words';

/** Completes nouns, verbs, options, and values of options that are one of few words. */
export function bashCompletion(nouns: readonly Noun[]): string {
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
