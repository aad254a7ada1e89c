import type { Noun } from '../command';
import { invoiceAdd } from './invoice-add.command';
import { invoiceLink } from './invoice-link.command';
import { invoiceList } from './invoice-list.command';
import { invoiceSetStatus } from './invoice-set-status.command';
import { invoiceSync } from './invoice-sync.command';
import { invoiceSyncStatus } from './invoice-sync-status.command';
import { invoiceUnlink } from './invoice-unlink.command';

export const invoiceNoun: Noun = {
  name: 'invoice',
  description: 'invoices, and the billing sources they come from',
  commands: [invoiceAdd, invoiceSetStatus, invoiceList, invoiceLink, invoiceUnlink, invoiceSync, invoiceSyncStatus],
};
