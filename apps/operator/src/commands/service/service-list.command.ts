import { optional } from '../../options/option';
import { customer } from '../../options/shared-options';
import { command } from '../command';
import { serviceStatus } from './service-status';

export const serviceList = command({
  name: 'list',
  description: 'list the services of a customer',
  options: {
    customer,
    type: optional('--type <type>', 'only those of this type'),
    status: optional('--status <status>', 'only those with this status', serviceStatus),
  },
  examples: ['--customer 100001', '--customer 100001 --type ai -o wide'],
  reads: true,
  columns: ['id', 'type', 'name', 'status', 'created_at', 'config'],
  moreColumns: ['updated_at', 'customer_id'],
  services: () => import('../../services/services.services.js'),
  run: ({ customerServices }, { customer, type, status }) => customerServices.list(customer, { type, status }),
});
