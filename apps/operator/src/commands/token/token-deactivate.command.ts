import { token } from '../../options/shared-options';
import { command } from '../command';

export const tokenDeactivate = command({
  name: 'deactivate',
  description: 'deactivate a token at once, for good',
  options: { token },
  examples: ['--token 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  confirm: ({ token }) => `Token ${token} can never be used again. Go on?`,
  services: () => import('../../services/tokens.services.js'),
  run: ({ serviceTokens }, { token }, { actor }) => serviceTokens.deactivate(actor, token),
});
