import type { Noun } from '../command';
import { secretsReencrypt } from './secrets-reencrypt.command';

export const secretsNoun: Noun = {
  name: 'secrets',
  description: 'secrets that the service stores',
  commands: [secretsReencrypt],
};
