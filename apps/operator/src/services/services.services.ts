import { ServicesOperatorModule, ServicesOperatorService } from '@domains/services';

export const modules = [ServicesOperatorModule];
export const services = { customerServices: ServicesOperatorService };
