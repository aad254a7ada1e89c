import { customer } from '../../options/shared-options';
import { command } from '../command';

export const aiShow = command({
  name: 'show',
  description: "show a customer's AI settings and balances",
  options: { customer },
  examples: ['--customer 100001'],
  reads: true,
  services: () => import('../../services/ai.services.js'),
  run: ({ configuration }, { customer }) => configuration.show(customer),
});
