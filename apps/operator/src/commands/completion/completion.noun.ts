import type { Noun, TextCommand } from '../command';
import { bashCompletion } from './bash';
import { fishCompletion } from './fish';
import { zshCompletion } from './zsh';

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
