import type { ReplyAuthor } from '@domains/support';
import { optional, required } from '../../options/option';
import * as read from '../../options/read';
import { ticket } from '../../options/shared-options';
import { command } from '../command';

export const ticketReply = command({
  name: 'reply',
  description: 'reply in a thread',
  options: {
    ticket,
    body: required('--body <text>', 'what the customer will read'),
    author: optional(
      '--author <author>',
      'default operator; customer for a reply that the customer gave by phone or email',
      read.oneOf<ReplyAuthor>()('customer', 'operator'),
    ),
  },
  examples: ['--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --body "It works again; please try."'],
  services: () => import('../../services/support.services.js'),
  run: ({ tickets }, { ticket, body, author = 'operator' }, { actor }) =>
    tickets.reply(actor, ticket, { body, author, internal: false }),
});
