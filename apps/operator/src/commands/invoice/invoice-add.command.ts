import { Option, SubCommand } from 'nest-commander';
import { ServiceError } from '@platform/errors';
import { InvoicesOperatorService } from '@domains/invoices';
import { toMinorUnits } from '@platform/money';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

/** Reads an amount in kroner with at most two decimals. */
function readAmount(text: string): bigint {
  const amount = toMinorUnits(text, 'NOK');
  if (amount === undefined || amount <= 0n)
    throw new ServiceError('invalid_request', `${text} is not an amount in NOK`);
  return amount;
}

interface Options {
  customer: string;
  number: string;
  amountNok: bigint;
  issueDate: string;
  dueDate: string;
  kid?: string;
  pdfUrl?: string;
  hostedUrl?: string;
}

@SubCommand({ name: 'add', description: 'add an invoice that the operator issued' })
export class InvoiceAddCommand extends OperatorCommand<Options> {
  constructor(private readonly invoices: InvoicesOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--number <number>', description: 'the number printed on it', required: true })
  parseNumber(text: string): string {
    return text;
  }

  @Option({ flags: '--amount-nok <amount>', description: 'the total in NOK, such as 1250.50', required: true })
  parseAmountNok(text: string): bigint {
    return readAmount(text);
  }

  @Option({ flags: '--issue-date <date>', description: 'when it was issued, YYYY-MM-DD', required: true })
  parseIssueDate(text: string): string {
    return read.date(text);
  }

  @Option({ flags: '--due-date <date>', description: 'when it is to be paid, YYYY-MM-DD', required: true })
  parseDueDate(text: string): string {
    return read.date(text);
  }

  @Option({ flags: '--kid <kid>', description: 'payment reference' })
  parseKid(text: string): string {
    return text;
  }

  @Option({ flags: '--pdf-url <url>', description: 'link to its PDF that needs no credential' })
  parsePdfUrl(text: string): string {
    return read.url(text);
  }

  @Option({ flags: '--hosted-url <url>', description: 'page where it can be seen and paid' })
  parseHostedUrl(text: string): string {
    return read.url(text);
  }

  protected execute({ customer, amountNok, ...invoice }: Options) {
    const { number, issueDate, dueDate, kid, pdfUrl, hostedUrl } = invoice;
    return this.invoices.add(this.actor, {
      customerId: customer,
      amount: amountNok,
      number,
      issueDate,
      dueDate,
      kid,
      pdfUrl,
      hostedUrl,
    });
  }
}
