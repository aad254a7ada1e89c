import { AuditModule, AuditOperatorService } from '@platform/audit';

export const modules = [AuditModule];
export const services = { auditTrail: AuditOperatorService };
