export { StatusEvent, STATUS_LEVELS, type StatusLevel } from './entities/status-event.entity';
export {
  EVENTS_SHOWN,
  ServiceStatusService,
  type ServiceStatusRow,
  type StatusEventRow,
} from './customer/service-status.service';
export { STATUS_MESSAGE_MAX } from './status-values';
export { StatusModule } from './status.module';
export {
  type Announced,
  AnnouncementsOperatorService,
  type NewAnnouncement,
} from './operator/announcements-operator.service';
export { StatusEventsOperatorService, type NewStatusEvent } from './operator/status-events-operator.service';
export { StatusOperatorModule } from './status-operator.module';
export { StatusSchema1763683200400 } from './migrations/1763683200400-status';
export { StatusRetentionService } from './worker/status-retention.service';
export { ToldStatusEvents1763683201620 } from './migrations/1763683201620-told-status-events';
export { BegunStatusEventsService } from './worker/begun-status-events.service';
export { StatusEnds1763683204900 } from './migrations/1763683204900-status-ends';
export { StatusInbox1763683203500 } from './migrations/1763683203500-status-inbox';
