import { optional, required } from '../../options/option';
import { command } from '../command';

export const customerCreate = command({
  name: 'create',
  description: 'add a customer',
  options: {
    name: required('--name <name>', 'name of the company'),
    orgNumber: required('--org-number <number>', 'Norwegian organisation number'),
    email: required('--email <address>', 'address that the operator writes to'),
    customerNumber: optional('--customer-number <number>', 'number of your own; default the next free one'),
  },
  examples: ['--name "Fjordlys AS" --org-number 974760673 --email it@fjordlys.example'],
  services: () => import('../../services/customers.services.js'),
  run: ({ customers }, { name, orgNumber, email, customerNumber }, { actor }) =>
    customers.create(actor, { name, organizationNumber: orgNumber, email, customerNumber }),
});
