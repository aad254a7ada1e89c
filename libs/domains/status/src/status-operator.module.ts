import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { ServicesOperatorModule } from '@domains/services';
import { StatusEvent } from './entities/status-event.entity';
import { AnnouncementsOperatorService } from './operator/announcements-operator.service';
import { StatusEventsOperatorService } from './operator/status-events-operator.service';

@Module({
  imports: [TypeOrmModule.forFeature([StatusEvent]), AuditModule, ServicesOperatorModule],
  providers: [AnnouncementsOperatorService, StatusEventsOperatorService],
  exports: [AnnouncementsOperatorService, StatusEventsOperatorService],
})
export class StatusOperatorModule {}
