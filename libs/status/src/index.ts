export { StatusEvent, STATUS_LEVELS, type StatusLevel } from './status-event.entity';
export { ServiceStatusReader, type ServiceStatusRow, type StatusEventRow } from './service-status-reader';
export { ServiceStatusReaderModule } from './service-status-reader.module';
export { StatusEvents, type NewStatusEvent } from './status-events';
export { StatusEventsModule } from './status-events.module';
