import { optional } from '../../options/option';
import * as read from '../../options/read';
import { usageError } from '../../program/command-error';
import { command } from '../command';

export const statusEnd = command({
  name: 'end',
  description: 'end an event now, or the events of an announcement about a type of services',
  options: {
    event: optional('--event <id>', 'id of the event', read.uuid),
    announcement: optional('--announcement <id>', 'id of the announcement', read.uuid),
  },
  examples: ['--event 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51', '--announcement 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  services: () => import('../../services/status.services.js'),
  run({ announcements, statusEvents }, { event, announcement }, { actor }): Promise<object> {
    if (event !== undefined && announcement === undefined) return statusEvents.end(actor, event);
    if (event === undefined && announcement !== undefined) return announcements.end(actor, announcement);
    throw usageError('Give --event or --announcement');
  },
});
