import { ServiceError } from '@platform/errors';
import { toMinorUnits } from '@platform/money';
import { optional, required } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { command } from '../command';

export const invoiceAdd = command({
  name: 'add',
  description: 'add an invoice that the operator issued',
  options: {
    customer,
    number: required('--number <number>', 'the number printed on it'),
    amountNok: required('--amount-nok <amount>', 'the total in NOK, such as 1250.50', readAmount),
    issueDate: required('--issue-date <date>', 'when it was issued, YYYY-MM-DD', read.date),
    dueDate: required('--due-date <date>', 'when it is to be paid, YYYY-MM-DD', read.date),
    kid: optional('--kid <kid>', 'payment reference'),
    pdfUrl: optional('--pdf-url <url>', 'link to its PDF that needs no credential', read.url),
    hostedUrl: optional('--hosted-url <url>', 'page where it can be seen and paid', read.url),
  },
  examples: ['--customer 100001 --number 2027-0042 --amount-nok 1250.50 --issue-date 2027-01-15 --due-date 2027-01-29'],
  services: () => import('../../services/invoices.services.js'),
  run({ invoices }, { customer, amountNok, ...invoice }, { actor }) {
    const { number, issueDate, dueDate, kid, pdfUrl, hostedUrl } = invoice;
    const links = { pdfUrl, hostedUrl };
    return invoices.add(actor, {
      ...{ customerId: customer, amount: amountNok, number, issueDate, dueDate, kid, ...links },
    });
  },
});

/** Reads an amount in kroner with at most two decimals. */
function readAmount(text: string): bigint {
  const amount = toMinorUnits(text, 'NOK');
  if (amount === undefined || amount <= 0n)
    throw new ServiceError('invalid_request', `${text} is not an amount in NOK`);
  return amount;
}
