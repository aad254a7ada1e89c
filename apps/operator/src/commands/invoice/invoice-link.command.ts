import { required } from '../../options/option';
import { customer, source } from '../../options/shared-options';
import { command } from '../command';

export const invoiceLink = command({
  name: 'link',
  description: 'link a customer to an account of a billing source',
  options: {
    customer,
    source,
    sourceCustomer: required('--source-customer <id>', "id there: Stripe's customer id, Fiken's contact id"),
  },
  examples: ['--customer 100001 --source stripe --source-customer cus_4Fy8a7XQk2'],
  services: () => import('../../services/invoice-sync.services.js'),
  run: ({ accounts }, { customer, source, sourceCustomer }, { actor }) =>
    accounts.link(actor, customer, source, sourceCustomer),
});
