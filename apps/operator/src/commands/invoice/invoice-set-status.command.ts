import { Option, SubCommand } from 'nest-commander';
import { INVOICE_STATUSES, InvoicesOperatorService, type VisibleInvoiceStatus } from '@domains/invoices';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  invoice: string;
  status: VisibleInvoiceStatus;
}

@SubCommand({ name: 'set-status', description: 'set the status of an invoice that the operator issued' })
export class InvoiceSetStatusCommand extends OperatorCommand<Options> {
  constructor(private readonly invoices: InvoicesOperatorService) {
    super();
  }

  @Option({ flags: '--invoice <id>', description: 'id of the invoice', required: true })
  parseInvoice(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--status <status>', description: 'open, paid, void or uncollectible', required: true })
  parseStatus(text: string): VisibleInvoiceStatus {
    return read.oneOf(INVOICE_STATUSES, text);
  }

  protected execute({ invoice, status }: Options) {
    return this.invoices.setStatus(this.actor, invoice, status);
  }
}
