import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/ai.services.js'));

const reencrypt = command({
  name: 'reencrypt',
  description:
    'encrypt the provider keys of customers under SECRETS_KEY that are still under FORMER_SECRETS_KEY; fails if one opens under neither',
  options: {},
  examples: [''],
  saysIfEmpty: true,
  async run({ keys }, _options, { actor, foundFault, note }) {
    const results = await keys.reencrypt(actor);
    if (results.length === 0) note('No customer has a provider key of its own');
    if (results.some(({ result }) => result === 'unreadable')) foundFault();
    return results;
  },
});

export const secretsNoun: Noun = {
  name: 'secrets',
  description: 'secrets that the service stores',
  commands: [reencrypt],
};
