import { SupportOperatorModule, TicketsOperatorService } from '@domains/support';

export const modules = [SupportOperatorModule];
export const services = { tickets: TicketsOperatorService };
