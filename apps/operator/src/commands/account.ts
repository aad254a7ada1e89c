import type { OperatorRole } from '@platform/operator-accounts';
import { optional, required } from '../options/option';
import * as read from '../options/read';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/accounts.services.js'));

const account = required('--account <account>', "the account's e-mail address, name or id");
const role = read.oneOf<OperatorRole>()('viewer', 'support', 'billing', 'admin');

const invite = command({
  name: 'invite',
  description:
    'print a link that logs a person in to the operator console, once, within ten minutes; makes the account if there is none',
  options: {
    email: required('--email <address>', "the person's e-mail address"),
    role: optional('--role <role>', 'role of a new account', role),
    name: optional(
      '--name <name>',
      'name in the audit log; default: the part of the address before the @',
      read.person,
    ),
  },
  examples: ['--email kari@example.com --role admin', '--email kari@example.com'],
  run: ({ accounts }, { email, role, name }, { actor }) => accounts.invite(actor, { email, role, name }),
});

const list = command({
  name: 'list',
  description: 'list the accounts of the operator console',
  options: {},
  examples: ['', '--json'],
  reads: true,
  columns: ['name', 'email', 'role', 'active', 'last_login_at', 'id'],
  moreColumns: ['oidc_issuer', 'oidc_subject', 'created_at'],
  run: ({ accounts }) => accounts.list(),
});

const setRole = command({
  name: 'set-role',
  description: 'give an account another role, which its sessions have at once',
  options: { account, role: required('--role <role>', 'new role', role) },
  examples: ['--account kari@example.com --role billing'],
  run: async ({ accounts }, { account, role }, { actor }) =>
    accounts.setRole(actor, (await accounts.find(account)).id, role),
});

const activate = command({
  name: 'activate',
  description: 'let an account log in again',
  options: { account },
  examples: ['--account kari@example.com'],
  run: async ({ accounts }, { account }, { actor }) =>
    accounts.setActive(actor, (await accounts.find(account)).id, true),
});

const deactivate = command({
  name: 'deactivate',
  description: 'end the sessions of an account, and let it log in no more',
  options: { account },
  examples: ['--account kari@example.com'],
  confirm: ({ account }) => `${account} is logged out at once. Go on?`,
  run: async ({ accounts }, { account }, { actor }) =>
    accounts.setActive(actor, (await accounts.find(account)).id, false),
});

const revoke = command({
  name: 'revoke-sessions',
  description: 'end all sessions of an account; it can log in again',
  options: { account },
  examples: ['--account kari@example.com'],
  async run({ accounts, sessions }, { account }, { actor }) {
    const { id, name } = await accounts.find(account);
    return { name, sessions: await sessions.revokeAll(actor, id) };
  },
});

export const accountNoun: Noun = {
  name: 'account',
  description: 'accounts of the operator console',
  commands: [invite, list, setRole, activate, deactivate, revoke],
};
