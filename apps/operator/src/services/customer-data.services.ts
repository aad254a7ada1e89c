import { CustomerDataOperatorModule, CustomerErasureOperatorService, CustomerExportOperatorService } from '@schema';

export const modules = [CustomerDataOperatorModule];
export const services = {
  customerErasure: CustomerErasureOperatorService,
  customerExport: CustomerExportOperatorService,
};
