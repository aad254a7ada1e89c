import { anyCustomer } from '../../options/shared-options';
import { command } from '../command';

export const aiVerify = command({
  name: 'verify',
  description: 'check every AI account against its ledger and list the differences; fails if there are any',
  options: { customer: anyCustomer },
  examples: ['', '--customer 100001'],
  reads: true,
  columns: ['customer_number', 'customer', 'problem', 'found', 'expected', 'customer_id'],
  services: () => import('../../services/ai.services.js'),
  async run({ verification }, { customer }, { foundFault }) {
    const problems = await verification.verify(customer);
    if (problems.length > 0) foundFault();
    return problems;
  },
});
