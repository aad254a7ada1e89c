import { customer } from '../../options/shared-options';
import { command } from '../command';

export const customerShow = command({
  name: 'show',
  description: 'show a customer and its limits',
  options: { customer },
  examples: ['--customer 100001', '--customer "Fjordlys AS" --json'],
  reads: true,
  services: () => import('../../services/customers.services.js'),
  run: ({ customers }, { customer }) => customers.find(customer),
});
