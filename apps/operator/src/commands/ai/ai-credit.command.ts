import { SubCommand } from 'nest-commander';
import { AiCreditOperatorService } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { decimalText } from '@platform/money';
import { required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const KINDS = ['manual_adjustment', 'refund'] as const;

const options = {
  customer,
  kind: required('--kind <kind>', 'manual_adjustment or refund', read.oneOf(KINDS)),
  amountNok: required('--amount-nok <amount>', 'amount; an adjustment may be negative', (text) =>
    decimalText(text, { decimals: 12, least: -1e9 }),
  ),
  note: required('--note <text>', 'why; the customer reads it in its ledger'),
};

@SubCommand({
  name: 'credit',
  description: 'add an adjustment or a refund to the ledger; correct an entry with another adjustment',
})
export class AiCreditCommand extends commandWith(options) {
  constructor(private readonly credit: AiCreditOperatorService) {
    super();
  }

  protected execute({ customer, kind, amountNok, note }: Values<typeof options>) {
    if (Number(amountNok) === 0 || (kind === 'refund' && Number(amountNok) < 0)) {
      throw new ServiceError('invalid_request', 'The amount must not be 0, and a refund must be more than 0');
    }
    return this.credit.adjust(this.actor, { customerId: customer, kind, amountNok, note });
  }
}
