import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditService } from './audit.service';
import { AuditOperatorService } from './operator/audit-operator.service';
import { AuditLogEntry } from './entities/audit-log-entry.entity';

/** The audit log. */
@Module({
  imports: [TypeOrmModule.forFeature([AuditLogEntry])],
  providers: [AuditService, AuditOperatorService],
  exports: [AuditService, AuditOperatorService],
})
export class AuditModule {}
