import { CustomersOperatorModule, CustomersOperatorService } from '@domains/customers';

export const modules = [CustomersOperatorModule];
export const services = { customers: CustomersOperatorService };
