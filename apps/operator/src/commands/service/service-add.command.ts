import { optional, required } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { command } from '../command';
import { serviceStatus } from './service-status';

export const serviceAdd = command({
  name: 'add',
  description: 'add a service to a customer',
  options: {
    customer,
    type: required('--type <type>', 'kind, such as ai, sms or hosting'),
    name: required('--name <name>', 'name of the service'),
    status: optional('--status <status>', 'its status', serviceStatus),
    config: optional('--config <json>', 'settings, as a JSON object', read.json),
  },
  examples: [`--customer 100001 --type hosting --name "Web hosting" --config '{"disk_gb":50}'`],
  services: () => import('../../services/services.services.js'),
  run: ({ customerServices }, { customer, type, name, status, config }, { actor }) =>
    customerServices.add(actor, { customerId: customer, type, name, status, config }),
});
