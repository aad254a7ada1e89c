import { decimalText } from '@platform/money';
import { required } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { usageError } from '../../program/command-error';
import { command } from '../command';

export const aiCredit = command({
  name: 'credit',
  description: 'add an adjustment or a refund to the ledger; correct an entry with another adjustment',
  options: {
    customer,
    kind: required(
      '--kind <kind>',
      'kind of the entry',
      read.oneOf<'manual_adjustment' | 'refund'>()('manual_adjustment', 'refund'),
    ),
    amountNok: required('--amount-nok <amount>', 'amount; an adjustment may be negative', (text) =>
      decimalText(text, { decimals: 12, least: -1e9 }),
    ),
    note: required('--note <text>', 'why; the customer reads it in its ledger'),
  },
  examples: ['--customer 100001 --kind refund --amount-nok 12.50 --note "Calls of 3 March"'],
  confirm: ({ amountNok }) => `An entry of ${amountNok} NOK stays in the customer's ledger. Go on?`,
  services: () => import('../../services/ai.services.js'),
  run({ credit }, { customer, kind, amountNok, note }, { actor }) {
    if (Number(amountNok) === 0 || (kind === 'refund' && Number(amountNok) < 0)) {
      throw usageError('The amount must not be 0, and a refund must be more than 0');
    }
    return credit.adjust(actor, { customerId: customer, kind, amountNok, note });
  },
});
