export { AuditLogEntry } from './audit-log-entry.entity';
export { AuditLog, type AuditEntry, NO_CUSTOMER } from './audit-log';
export { AuditModule } from './audit.module';
export { AuditTrail, type AuditQuery } from './audit-trail';
