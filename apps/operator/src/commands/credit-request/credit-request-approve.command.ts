import { Option, SubCommand } from 'nest-commander';
import { CreditRequestsOperatorService } from '@domains/credit-requests';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  id: number;
  invoiceNumber?: string;
}

/** Idempotent: a repeated approval changes nothing. */
@SubCommand({ name: 'approve', description: 'invoice the amount and add the credit; repeating it changes nothing' })
export class CreditRequestApproveCommand extends OperatorCommand<Options> {
  constructor(private readonly creditRequests: CreditRequestsOperatorService) {
    super();
  }

  @Option({ flags: '--id <number>', description: 'number of the request', required: true })
  parseId(text: string): number {
    return read.wholeNumber(text);
  }

  @Option({ flags: '--invoice-number <number>', description: 'number printed on the invoice (AI-<id>)' })
  parseInvoiceNumber(text: string): string {
    return text;
  }

  protected execute({ id, invoiceNumber }: Options) {
    return this.creditRequests.approve(this.actor, id, invoiceNumber);
  }
}
