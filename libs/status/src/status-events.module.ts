import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { CustomerServicesModule } from '@app/services';
import { StatusEvent } from './status-event.entity';
import { StatusEvents } from './status-events';

/** The operator's announcements about services. */
@Module({
  imports: [TypeOrmModule.forFeature([StatusEvent]), AuditModule, CustomerServicesModule],
  providers: [StatusEvents],
  exports: [StatusEvents],
})
export class StatusEventsModule {}
