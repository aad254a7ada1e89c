import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { InvoiceAddCommand } from './invoice-add.command';
import { InvoiceLinkCommand } from './invoice-link.command';
import { InvoiceListCommand } from './invoice-list.command';
import { InvoiceSetStatusCommand } from './invoice-set-status.command';
import { InvoiceSyncCommand } from './invoice-sync.command';
import { InvoiceSyncStatusCommand } from './invoice-sync-status.command';
import { InvoiceUnlinkCommand } from './invoice-unlink.command';

const verbs = [
  InvoiceAddCommand,
  InvoiceSetStatusCommand,
  InvoiceListCommand,
  InvoiceLinkCommand,
  InvoiceUnlinkCommand,
  InvoiceSyncCommand,
  InvoiceSyncStatusCommand,
];

@Command({ name: 'invoice', description: 'invoices, and the billing sources they come from', subCommands: verbs })
export class InvoiceCommand extends CommandGroup {}

export const invoiceCommands = [InvoiceCommand, ...verbs];
