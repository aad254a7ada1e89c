import { optional } from '../options/option';
import * as read from '../options/read';
import { after, limit, optionalCustomer } from '../options/customer-and-list-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/audit.services.js'));

const list = command({
  name: 'list',
  description: 'list the changes with their authors, newest first',
  options: {
    customer: optionalCustomer('only changes that concern this customer (number, name or id)'),
    action: optional('--action <name>', 'only this action, such as token.issue, or this group of them, such as token'),
    by: optional(
      '--by <name>',
      'only changes by this person: the name in --as or OPERATOR_NAME; or by another author, as the list shows it',
    ),
    since: optional('--since <time>', 'only changes since this time', read.time),
    until: optional('--until <time>', 'only changes before this time', read.time),
    limit,
    after,
  },
  examples: ['--customer 100001', '--action token.issue --limit 20', '--by kari --since 2027-01-01 --until 2027-02-01'],
  reads: true,
  columns: ['created_at', 'actor', 'action', 'customer_number', 'customer', 'metadata'],
  moreColumns: ['customer_id', 'id'],
  run: ({ auditTrail }, { customer, action, by, since, until }, { listing }) =>
    auditTrail.list({ customerId: customer, action, by, since, until }, listing),
});

export const auditNoun: Noun = { name: 'audit', description: 'the audit log', commands: [list] };
