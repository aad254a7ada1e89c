import { optional, required } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { command } from '../command';

export const tokenIssue = command({
  name: 'issue',
  description: 'issue a token; it is shown only once',
  options: {
    customer,
    scopes: required(
      '--scopes <list>',
      `scopes, separated by commas; there are ${read.SCOPE_NAMES.join(', ')}`,
      read.scopes,
    ),
    name: optional('--name <text>', 'what it is for, such as "ERP production"; the customer sees it in reports'),
    expiresAt: optional('--expires-at <time>', 'when it expires; default never', read.time),
  },
  examples: [
    '--customer 100001 --scopes ai:read,ai:use --name "ERP production"',
    '--customer 100001 --scopes status:read --expires-at 2027-01-31T12:00:00Z',
  ],
  services: () => import('../../services/tokens.services.js'),
  run: ({ serviceTokens }, { customer, name, scopes, expiresAt }, { actor }) =>
    serviceTokens.issue(actor, { customerId: customer, name, scopes, expiresAt }),
});
