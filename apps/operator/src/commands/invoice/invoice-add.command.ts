import { SubCommand } from 'nest-commander';
import { ServiceError } from '@platform/errors';
import { InvoicesOperatorService } from '@domains/invoices';
import { toMinorUnits } from '@platform/money';
import { optional, required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

/** Reads an amount in kroner with at most two decimals. */
function readAmount(text: string): bigint {
  const amount = toMinorUnits(text, 'NOK');
  if (amount === undefined || amount <= 0n)
    throw new ServiceError('invalid_request', `${text} is not an amount in NOK`);
  return amount;
}

const options = {
  customer,
  number: required('--number <number>', 'the number printed on it'),
  amountNok: required('--amount-nok <amount>', 'the total in NOK, such as 1250.50', readAmount),
  issueDate: required('--issue-date <date>', 'when it was issued, YYYY-MM-DD', read.date),
  dueDate: required('--due-date <date>', 'when it is to be paid, YYYY-MM-DD', read.date),
  kid: optional('--kid <kid>', 'payment reference'),
  pdfUrl: optional('--pdf-url <url>', 'link to its PDF that needs no credential', read.url),
  hostedUrl: optional('--hosted-url <url>', 'page where it can be seen and paid', read.url),
};

@SubCommand({ name: 'add', description: 'add an invoice that the operator issued' })
export class InvoiceAddCommand extends commandWith(options) {
  constructor(private readonly invoices: InvoicesOperatorService) {
    super();
  }

  protected execute({ customer, amountNok, ...invoice }: Values<typeof options>) {
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
