import { CustomerDataOperatorModule, CustomerDataOperatorService } from '@schema';

export const modules = [CustomerDataOperatorModule];
export const services = { customerData: CustomerDataOperatorService };
