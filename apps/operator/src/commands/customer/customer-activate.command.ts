import { customer } from '../../options/shared-options';
import { command } from '../command';

export const customerActivate = command({
  name: 'activate',
  description: "accept a customer's tokens again",
  options: { customer },
  examples: ['--customer 100001'],
  services: () => import('../../services/customers.services.js'),
  run: ({ customers }, { customer }, { actor }) => customers.setActive(actor, customer, true),
});
