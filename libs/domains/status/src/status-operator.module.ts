import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { ServicesOperatorModule } from '@domains/services';
import { StatusEvent } from './entities/status-event.entity';
import { AnnouncementsOperatorService } from './operator/announcements-operator.service';
import { StatusEventsOperatorService } from './operator/status-events-operator.service';
import { BegunStatusEventsService } from './worker/begun-status-events.service';
import { StatusRetentionService } from './worker/status-retention.service';

@Module({
  imports: [TypeOrmModule.forFeature([StatusEvent]), AuditModule, ServicesOperatorModule],
  providers: [
    AnnouncementsOperatorService,
    StatusEventsOperatorService,
    BegunStatusEventsService,
    StatusRetentionService,
  ],
  exports: [
    AnnouncementsOperatorService,
    StatusEventsOperatorService,
    BegunStatusEventsService,
    StatusRetentionService,
  ],
})
export class StatusOperatorModule {}
