import { ticket } from '../../options/shared-options';
import { command } from '../command';

export const ticketShow = command({
  name: 'show',
  description: 'show a ticket with its thread, internal notes included',
  options: { ticket },
  examples: ['--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  reads: true,
  services: () => import('../../services/support.services.js'),
  run: ({ tickets }, { ticket }) => tickets.show(ticket),
});
