import { AnnouncementsOperatorService, StatusEventsOperatorService, StatusOperatorModule } from '@domains/status';

export const modules = [StatusOperatorModule];
export const services = { announcements: AnnouncementsOperatorService, statusEvents: StatusEventsOperatorService };
