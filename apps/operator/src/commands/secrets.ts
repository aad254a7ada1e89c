import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/secrets.services.js'));

const reencrypt = command({
  name: 'reencrypt',
  description:
    'encrypt the provider keys of customers and the secrets of webhook endpoints under SECRETS_KEY that are still under FORMER_SECRETS_KEY; fails if one opens under neither',
  options: {},
  examples: [''],
  saysIfEmpty: true,
  async run({ keys, webhooks }, _options, { actor, foundFault, note }) {
    const ofCustomers = await keys.reencrypt(actor);
    const results = [
      ...ofCustomers.map((row) => ({ secret: 'provider key', ...row })),
      ...(await webhooks.reencrypt(actor)).map((row) => ({ secret: 'webhook endpoint', ...row })),
    ];
    if (results.length === 0) note('No customer has a provider key of its own, and there is no webhook endpoint');
    if (results.some(({ result }) => result === 'unreadable')) foundFault();
    return results;
  },
});

export const secretsNoun: Noun = {
  name: 'secrets',
  description: 'secrets that the service stores',
  commands: [reencrypt],
};
