import { required } from '../../options/option';
import { ticket } from '../../options/shared-options';
import { command } from '../command';

export const ticketNote = command({
  name: 'note',
  description: 'add an internal note, which the customer never sees',
  options: { ticket, body: required('--body <text>', 'the note') },
  examples: ['--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --body "Waits for the provider"'],
  services: () => import('../../services/support.services.js'),
  run: ({ tickets }, { ticket, body }, { actor }) =>
    tickets.reply(actor, ticket, { body, author: 'operator', internal: true }),
});
