import { required } from '../../options/option';
import { ticket } from '../../options/shared-options';
import { command } from '../command';
import { ticketStatus } from './ticket-status';

export const ticketSetStatus = command({
  name: 'set-status',
  description: 'set the status of a ticket',
  options: { ticket, status: required('--status <status>', 'new status', ticketStatus) },
  examples: ['--ticket 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --status resolved'],
  services: () => import('../../services/support.services.js'),
  run: ({ tickets }, { ticket, status }, { actor }) => tickets.setStatus(actor, ticket, status),
});
