import { InvoicesOperatorModule, InvoicesOperatorService } from '@domains/invoices';

export const modules = [InvoicesOperatorModule];
export const services = { invoices: InvoicesOperatorService };
