import { customer } from '../../options/shared-options';
import { command } from '../command';

export const customerDeactivate = command({
  name: 'deactivate',
  description: "refuse all of a customer's tokens",
  options: { customer },
  examples: ['--customer 100001'],
  services: () => import('../../services/customers.services.js'),
  run: ({ customers }, { customer }, { actor }) => customers.setActive(actor, customer, false),
});
