import { required } from '../../options/option';
import * as read from '../../options/read';
import { command } from '../command';

export const statusEnd = command({
  name: 'end',
  description: 'end an event now',
  options: { event: required('--event <id>', 'id of the event', read.uuid) },
  examples: ['--event 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  services: () => import('../../services/status.services.js'),
  run: ({ statusEvents }, { event }, { actor }) => statusEvents.end(actor, event),
});
