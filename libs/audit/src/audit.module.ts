import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditLog } from './audit-log';
import { AuditTrail } from './audit-trail';
import { AuditLogEntry } from './audit-log-entry.entity';

/** The audit log. */
@Module({
  imports: [TypeOrmModule.forFeature([AuditLogEntry])],
  providers: [AuditLog, AuditTrail],
  exports: [AuditLog, AuditTrail],
})
export class AuditModule {}
