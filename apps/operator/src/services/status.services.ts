import { StatusOperatorModule, StatusEventsOperatorService } from '@domains/status';

export const modules = [StatusOperatorModule];
export const services = { statusEvents: StatusEventsOperatorService };
