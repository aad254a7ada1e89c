import { optional } from '../../options/option';
import * as read from '../../options/read';
import { token } from '../../options/shared-options';
import { command } from '../command';

export const tokenRotate = command({
  name: 'rotate',
  description: 'issue a token that replaces another',
  options: {
    token,
    graceHours: optional('--grace-hours <n>', 'hours that the old one stays valid; default 24', read.wholeNumber),
  },
  examples: ['--token 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --grace-hours 48'],
  confirm: ({ graceHours }) => (graceHours === 0 ? 'The old token is refused at once. Go on?' : undefined),
  services: () => import('../../services/tokens.services.js'),
  run: ({ serviceTokens }, { token, graceHours = 24 }, { actor }) => serviceTokens.rotate(actor, token, graceHours),
});
