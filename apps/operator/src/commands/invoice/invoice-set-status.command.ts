import type { VisibleInvoiceStatus } from '@domains/invoices';
import { required } from '../../options/option';
import * as read from '../../options/read';
import { command } from '../command';

export const invoiceSetStatus = command({
  name: 'set-status',
  description: 'set the status of an invoice that the operator issued',
  options: {
    invoice: required('--invoice <id>', 'id of the invoice', read.uuid),
    status: required(
      '--status <status>',
      'new status',
      read.oneOf<VisibleInvoiceStatus>()('open', 'paid', 'void', 'uncollectible'),
    ),
  },
  examples: ['--invoice 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --status paid'],
  services: () => import('../../services/invoices.services.js'),
  run: ({ invoices }, { invoice, status }, { actor }) => invoices.setStatus(actor, invoice, status),
});
