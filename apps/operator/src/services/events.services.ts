import { EventsOperatorModule, EventsOperatorService } from '@domains/events';

export const modules = [EventsOperatorModule];
export const services = { events: EventsOperatorService };
