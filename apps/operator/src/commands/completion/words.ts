import { COMMON_OPTIONS } from '../../program/common-options';
import type { Noun } from '../command';

/** What a shell completes after `operator <noun> <verb>`. */
export interface VerbWords {
  noun: string;
  verb: string;
  description: string;
  options: { flag: string; description: string; takesValue: boolean; choices: readonly string[] }[];
}

/** The words of all commands. */
export function verbWords(nouns: readonly Noun[]): VerbWords[] {
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
