import { optional, required } from '../options/option';
import * as read from '../options/read';
import { customer } from '../options/shared-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/tokens.services.js'));

const token = required('--token <id>', 'id of the token', read.uuid);

const issue = command({
  name: 'issue',
  description: 'issue a token; it is shown only once',
  options: {
    customer,
    scopes: required(
      '--scopes <list>',
      `scopes, separated by commas; there are ${read.SCOPE_NAMES.join(', ')}`,
      read.scopes,
    ),
    name: optional('--name <text>', 'purpose, such as "ERP production"; the customer sees it in reports'),
    expiresAt: optional('--expires-at <time>', 'when it expires; default never', read.time),
  },
  examples: [
    '--customer 100001 --scopes ai:read,ai:use --name "ERP production"',
    '--customer 100001 --scopes status:read --expires-at 2027-01-31T12:00:00Z',
  ],
  run: ({ serviceTokens }, { customer, name, scopes, expiresAt }, { actor }) =>
    serviceTokens.issue(actor, { customerId: customer, name, scopes, expiresAt }),
});

const rotate = command({
  name: 'rotate',
  description: 'issue a token that replaces another',
  options: {
    token,
    graceHours: optional('--grace-hours <n>', 'hours that the old one stays valid; default 24', read.wholeNumber),
  },
  examples: ['--token 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --grace-hours 48'],
  confirm: ({ graceHours }) => (graceHours === 0 ? 'The old token is refused at once. Go on?' : undefined),
  run: ({ serviceTokens }, { token, graceHours = 24 }, { actor }) => serviceTokens.rotate(actor, token, graceHours),
});

const rename = command({
  name: 'rename',
  description: 'name a token, or change its name',
  options: { token, name: required('--name <text>', 'purpose; the customer sees it in reports') },
  examples: ['--token 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --name "ERP test"'],
  run: ({ serviceTokens }, { token, name }, { actor }) => serviceTokens.rename(actor, token, name),
});

const deactivate = command({
  name: 'deactivate',
  description: 'deactivate a token at once, for good',
  options: { token },
  examples: ['--token 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  confirm: ({ token }) => `Token ${token} can never be used again. Go on?`,
  run: ({ serviceTokens }, { token }, { actor }) => serviceTokens.deactivate(actor, token),
});

const list = command({
  name: 'list',
  description: 'list the tokens of a customer',
  options: { customer },
  examples: ['--customer 100001', '--customer "Fjordlys AS" -o wide'],
  reads: true,
  columns: ['name', 'scopes', 'active', 'expires_at', 'last_used_at', 'id'],
  moreColumns: ['created_at', 'rotated_from', 'customer_id'],
  run: ({ serviceTokens }, { customer }) => serviceTokens.list(customer),
});

export const tokenNoun: Noun = {
  name: 'token',
  description: 'service tokens',
  commands: [issue, rotate, rename, deactivate, list],
};
