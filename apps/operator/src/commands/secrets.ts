import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/ai.services.js'));

const reencrypt = command({
  name: 'reencrypt',
  description:
    'encrypt the provider keys of customers under SECRETS_KEY that are still under FORMER_SECRETS_KEY; fails if one opens under neither',
  options: {},
  examples: [''],
  async run({ keys }, _options, { actor, foundFault }) {
    const results = await keys.reencrypt(actor);
    if (results.some(({ result }) => result === 'unreadable')) foundFault();
    return results;
  },
});

export const secretsNoun: Noun = {
  name: 'secrets',
  description: 'secrets that the service stores',
  commands: [reencrypt],
};
