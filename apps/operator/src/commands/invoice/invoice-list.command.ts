import type { InvoiceSource, InvoiceStatus } from '@domains/invoices';
import { optional } from '../../options/option';
import * as read from '../../options/read';
import { after, anyCustomer, limit, listingOf } from '../../options/shared-options';
import { command } from '../command';

export const invoiceList = command({
  name: 'list',
  description: 'list invoices, newest first, drafts included',
  options: {
    customer: anyCustomer,
    status: optional(
      '--status <status>',
      'only those with this status',
      read.oneOf<InvoiceStatus>()('draft', 'open', 'paid', 'void', 'uncollectible'),
    ),
    source: optional(
      '--source <source>',
      'only those from there; manual: your own',
      read.oneOf<InvoiceSource>()('manual', 'stripe', 'fiken'),
    ),
    dueBefore: optional('--due-before <date>', 'only those that are due before this day, YYYY-MM-DD', read.date),
    limit,
    after,
  },
  examples: ['--customer 100001', '--status open --due-before 2027-02-01 --csv'],
  reads: true,
  columns: ['number', 'customer_number', 'customer', 'status', 'amount_due', 'due_date', 'id'],
  moreColumns: ['source', 'type', 'currency', 'amount', 'issue_date', 'paid_at', 'customer_id'],
  services: () => import('../../services/invoices.services.js'),
  run: ({ invoices }, { customer, status, source, dueBefore, ...listing }) =>
    invoices.list({ customerId: customer, status, source, dueBefore }, listingOf(listing)),
});
