import { BillingAccountsOperatorService, InvoiceSyncModule, InvoiceSyncsOperatorService } from '@domains/invoices';

export const modules = [InvoiceSyncModule];
export const services = { accounts: BillingAccountsOperatorService, syncs: InvoiceSyncsOperatorService };
