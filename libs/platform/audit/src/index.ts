export { AuditLogEntry } from './entities/audit-log-entry.entity';
export { AuditService, type AuditEntry } from './audit.service';
export { AuditModule } from './audit.module';
export { AuditOperatorService, type AuditQuery } from './operator/audit-operator.service';
export { AuditSchema1763683200500 } from './migrations/1763683200500-audit';
export { AuditAuthors1763683204200 } from './migrations/1763683204200-audit-authors';
