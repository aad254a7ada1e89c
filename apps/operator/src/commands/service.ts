import type { ServiceStatus } from '@domains/services';
import { optional, required } from '../options/option';
import * as read from '../options/read';
import { customer, onlyStatus } from '../options/customer-and-list-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/services.services.js'));
const changeCommand = commandsWith(() => import('../services/service-changes.services.js'));

const statuses = read.oneOf<ServiceStatus>()('pending', 'active', 'suspended', 'terminated');

const add = changeCommand({
  name: 'add',
  description: 'add a service to a customer',
  options: {
    customer,
    type: required('--type <type>', 'kind, such as ai, sms or hosting'),
    name: required('--name <name>', 'name of the service'),
    status: optional('--status <status>', 'its status', statuses),
    config: optional('--config <json>', 'settings, as a JSON object', read.json),
  },
  examples: [`--customer 100001 --type hosting --name "Web hosting" --config '{"disk_gb":50}'`],
  run: ({ serviceChanges }, { customer, type, name, status, config }, { actor }) =>
    serviceChanges.add(actor, { customerId: customer, type, name, status, config }),
});

const update = changeCommand({
  name: 'update',
  description: 'change a service',
  options: {
    service: required('--service <id>', 'number of the service', read.wholeNumber),
    name: optional('--name <name>', 'new name'),
    status: optional('--status <status>', 'new status', statuses),
    config: optional(
      '--config <json>',
      'settings, as a JSON object; of an ai service, an increase of monthly_included_nok is added at once, a decrease applies from next month',
      read.json,
    ),
  },
  examples: ['--service 12 --status suspended'],
  run: ({ serviceChanges }, { service, name, status, config }, { actor }) =>
    serviceChanges.update(actor, service, { name, status, config }),
});

const list = command({
  name: 'list',
  description: 'list the services of a customer',
  options: { customer, type: optional('--type <type>', 'only those of this type'), status: onlyStatus(statuses) },
  examples: ['--customer 100001', '--customer 100001 --type ai -o wide'],
  reads: true,
  columns: ['id', 'type', 'name', 'status', 'created_at', 'config'],
  moreColumns: ['updated_at', 'customer_id'],
  run: ({ customerServices }, { customer, type, status }) => customerServices.list(customer, { type, status }),
});

export const serviceNoun: Noun = {
  name: 'service',
  description: 'services of customers',
  commands: [add, update, list],
};
