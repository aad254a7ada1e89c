import { BillingAccountsOperatorService, InvoiceSyncModule, SyncRequestsOperatorService } from '@domains/invoices';

export const modules = [InvoiceSyncModule];
export const services = { accounts: BillingAccountsOperatorService, requests: SyncRequestsOperatorService };
