import { Option, SubCommand } from 'nest-commander';
import { AiCreditOperatorService } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { decimalText } from '@platform/money';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

const KINDS = ['manual_adjustment', 'refund'] as const;

interface Options {
  customer: string;
  kind: (typeof KINDS)[number];
  amountNok: string;
  note: string;
}

@SubCommand({
  name: 'credit',
  description: 'add an adjustment or a refund to the ledger; correct an entry with another adjustment',
})
export class AiCreditCommand extends OperatorCommand<Options> {
  constructor(private readonly credit: AiCreditOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--kind <kind>', description: 'manual_adjustment or refund', required: true })
  parseKind(text: string): (typeof KINDS)[number] {
    return read.oneOf(KINDS, text);
  }

  @Option({ flags: '--amount-nok <amount>', description: 'amount; an adjustment may be negative', required: true })
  parseAmountNok(text: string): string {
    return decimalText(text, { decimals: 12, least: -1e9 });
  }

  @Option({ flags: '--note <text>', description: 'why', required: true })
  parseNote(text: string): string {
    return text;
  }

  protected execute({ customer, kind, amountNok, note }: Options) {
    if (Number(amountNok) === 0 || (kind === 'refund' && Number(amountNok) < 0)) {
      throw new ServiceError('invalid_request', 'The amount must not be 0, and a refund must be more than 0');
    }
    return this.credit.adjust(this.actor, { customerId: customer, kind, amountNok, note });
  }
}
