import { required } from '../../options/option';
import { token } from '../../options/shared-options';
import { command } from '../command';

export const tokenRename = command({
  name: 'rename',
  description: 'name a token, or change its name',
  options: { token, name: required('--name <text>', 'what it is for; the customer sees it in reports') },
  examples: ['--token 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --name "ERP test"'],
  services: () => import('../../services/tokens.services.js'),
  run: ({ serviceTokens }, { token, name }, { actor }) => serviceTokens.rename(actor, token, name),
});
