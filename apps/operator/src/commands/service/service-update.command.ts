import { optional, required } from '../../options/option';
import * as read from '../../options/read';
import { command } from '../command';
import { serviceStatus } from './service-status';

export const serviceUpdate = command({
  name: 'update',
  description: 'change a service',
  options: {
    service: required('--service <id>', 'number of the service', read.wholeNumber),
    name: optional('--name <name>', 'new name'),
    status: optional('--status <status>', 'new status', serviceStatus),
    config: optional(
      '--config <json>',
      'settings, as a JSON object; of an ai service, an increase of monthly_included_nok is added at once, a decrease applies from next month',
      read.json,
    ),
  },
  examples: ['--service 12 --status suspended'],
  services: () => import('../../services/services.services.js'),
  run: ({ customerServices }, { service, name, status, config }, { actor }) =>
    customerServices.update(actor, service, { name, status, config }),
});
