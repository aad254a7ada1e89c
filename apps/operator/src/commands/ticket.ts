import type { ReplyAuthor, TicketPriority, TicketStatus } from '@domains/support';
import { flag, optional, required } from '../options/option';
import * as read from '../options/read';
import { after, anyCustomer, limit, onlyStatus } from '../options/customer-and-list-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/support.services.js'));

const ticket = required('--ticket <id>', 'id of the ticket', read.uuid);
const seen = optional(
  '--seen <time>',
  'updated_at of the ticket as you have read it: refused if it has changed since, such as by a reply',
  read.time,
);
const statuses = read.oneOf<TicketStatus>()('open', 'pending', 'resolved', 'closed');

const list = command({
  name: 'list',
  description: 'list support tickets, newest first',
  options: {
    customer: anyCustomer,
    status: onlyStatus(statuses),
    priority: optional(
      '--priority <priority>',
      'only those with this priority',
      read.oneOf<TicketPriority>()('low', 'normal', 'high', 'urgent'),
    ),
    unanswered: flag('--unanswered', 'only open tickets in which the customer had the last word'),
    assigned: optional('--assigned <name>', 'only those that are assigned to this person', read.person),
    unassigned: flag('--unassigned', 'only those that are assigned to nobody'),
    search: optional('--search <text>', 'only those with this text in their title, body or a reply'),
    limit,
    after,
  },
  examples: [
    '--unanswered',
    '--customer 100001 --status open',
    '--assigned kari',
    '--unassigned --status open',
    '--search "web site"',
  ],
  reads: true,
  columns: ['customer_number', 'customer', 'title', 'status', 'unanswered', 'created_at', 'id'],
  moreColumns: [
    'assignee',
    'priority',
    'body',
    'service_id',
    'resource_type',
    'resource_id',
    'updated_at',
    'customer_id',
  ],
  run: ({ tickets }, { customer, ...filter }, { listing }) =>
    tickets.list({ customerId: customer, ...filter }, listing),
});

const show = command({
  name: 'show',
  description: 'show a ticket with its assignee and its thread, internal notes included',
  options: { ticket },
  examples: ['--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  reads: true,
  run: ({ tickets }, { ticket }) => tickets.show(ticket),
});

const reply = command({
  name: 'reply',
  description: 'reply in a thread',
  options: {
    ticket,
    body: required('--body <text>', 'the reply, which the customer reads'),
    author: optional(
      '--author <author>',
      'default operator; customer for a reply that the customer gave by phone or email',
      read.oneOf<ReplyAuthor>()('customer', 'operator'),
    ),
    seen,
  },
  examples: [
    '--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --body "It works again; please try."',
    '--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --body "It works again." --seen 2027-01-31T12:00:00.123Z',
  ],
  run: ({ tickets }, { ticket, body, author = 'operator', seen }, { actor }) =>
    tickets.reply(actor, ticket, { body, author, internal: false, seen }),
});

const note = command({
  name: 'note',
  description: 'add an internal note, which the customer never sees',
  options: { ticket, body: required('--body <text>', 'the note') },
  examples: ['--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --body "Waits for the provider"'],
  run: ({ tickets }, { ticket, body }, { actor }) =>
    tickets.reply(actor, ticket, { body, author: 'operator', internal: true }),
});

const setStatus = command({
  name: 'set-status',
  description: 'set the status of a ticket',
  options: { ticket, status: required('--status <status>', 'new status', statuses), seen },
  examples: ['--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --status resolved'],
  run: ({ tickets }, { ticket, status, seen }, { actor }) => tickets.setStatus(actor, ticket, status, seen),
});

const assign = command({
  name: 'assign',
  description: 'assign a ticket to a person; the customer never sees to whom',
  options: { ticket, to: optional('--to <name>', 'the person; default: you', read.person) },
  examples: [
    '--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --to kari',
    '--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51',
  ],
  async run({ tickets }, { ticket, to }, { actor, agree }) {
    const assignee = to ?? actor.replace(/^operator:/, '');
    const former = await tickets.assigneeOf(ticket);
    if (former !== null && former.toLowerCase() !== assignee.toLowerCase()) {
      await agree(`The ticket is assigned to ${former}, whom ${assignee} would replace`);
    }
    return tickets.assign(actor, ticket, assignee, former);
  },
});

const unassign = command({
  name: 'unassign',
  description: 'assign a ticket to nobody',
  options: { ticket },
  examples: ['--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  run: async ({ tickets }, { ticket }, { actor }) =>
    tickets.assign(actor, ticket, null, await tickets.assigneeOf(ticket)),
});

export const ticketNoun: Noun = {
  name: 'ticket',
  description: 'support tickets',
  commands: [list, show, reply, note, setStatus, assign, unassign],
};
