import { CustomerImportOperatorService, CustomersOperatorModule, CustomersOperatorService } from '@domains/customers';

export const modules = [CustomersOperatorModule];
export const services = { customers: CustomersOperatorService, customerImport: CustomerImportOperatorService };
