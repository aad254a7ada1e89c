import { text as readAll } from 'node:stream/consumers';
import { usageError } from '../command-error';
import type { TokensOperatorService } from '@platform/tokens';
import { flag, optional, required } from '../options/option';
import * as read from '../options/read';
import { customer } from '../options/customer-and-list-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/tokens.services.js'));

const token = required('--token <id>', 'id of the token', read.uuid);

/** Whose token it is, and what for. */
async function describe(
  { serviceTokens }: { serviceTokens: TokensOperatorService },
  { token }: { token: string },
  nameOf: (customerId: string) => Promise<string>,
): Promise<string> {
  const { customerId, name, lastUsedAt } = await serviceTokens.show(token);
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt.toISOString()}`;
  return `Customer ${await nameOf(customerId)}: ${name ?? 'a token without a name'}, ${used}`;
}

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
  about: describe,
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
  about: describe,
  confirm: ({ token }) =>
    `Token ${token} can never be used again. Webhook endpoints that it made stay: operator audit list --by token:${token} --action webhook. Go on?`,
  run: ({ serviceTokens }, { token }, { actor }) => serviceTokens.deactivate(actor, token),
});

const list = command({
  name: 'list',
  description: 'list the tokens of a customer',
  options: { customer },
  examples: ['--customer 100001', '--customer "Fjordlys AS" -o wide'],
  reads: true,
  columns: ['name', 'scopes', 'active', 'expires_at', 'last_used_at', 'id'],
  moreColumns: ['fingerprint', 'created_at', 'rotated_from', 'customer_id'],
  run: ({ serviceTokens }, { customer }) => serviceTokens.list(customer),
});

const find = command({
  name: 'find',
  description: 'say whose token it is, by the token itself or by the fingerprint that logs and refused requests have',
  options: {
    tokenStdin: flag('--token-stdin', 'read the token from standard input; it is not printed'),
    fingerprint: optional(
      '--fingerprint <digits>',
      "the first 12 hexadecimal digits of the token's SHA-256",
      read.fingerprint,
    ),
  },
  examples: ['--fingerprint 3f0c1d9e7d2a', '--token-stdin < leaked.txt'],
  reads: true,
  columns: ['customer_number', 'customer', 'name', 'active', 'expires_at', 'last_used_at', 'id'],
  moreColumns: ['fingerprint', 'scopes', 'created_at', 'rotated_from', 'customer_id'],
  async run({ serviceTokens }, { tokenStdin, fingerprint }) {
    if ((tokenStdin === undefined) === (fingerprint === undefined))
      throw usageError('Give --token-stdin or --fingerprint');
    return serviceTokens.findIn(fingerprint === undefined ? { text: await readAll(process.stdin) } : { fingerprint });
  },
});

export const tokenNoun: Noun = {
  name: 'token',
  description: 'service tokens',
  commands: [issue, rotate, rename, deactivate, list, find],
};
