import { command } from '../command';

export const secretsReencrypt = command({
  name: 'reencrypt',
  description:
    'encrypt the provider keys of customers under SECRETS_KEY that are still under FORMER_SECRETS_KEY; fails if one opens under neither',
  options: {},
  examples: [''],
  services: () => import('../../services/ai.services.js'),
  async run({ keys }, _options, { actor, foundFault }) {
    const results = await keys.reencrypt(actor);
    if (results.some(({ result }) => result === 'unreadable')) foundFault();
    return results;
  },
});
