import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditLogEntry } from '../entities/audit-log-entry.entity';

/** Which entries the operator wants to see. */
export interface AuditQuery {
  customerId?: string;
  action?: string;
  limit: number;
}

/** The operator's reading of the audit log. */
@Injectable()
export class AuditOperatorService {
  constructor(private readonly dataSource: DataSource) {}

  /** Entries, newest first. */
  list({ customerId, action, limit }: AuditQuery): Promise<AuditLogEntry[]> {
    return this.dataSource.manager.find(AuditLogEntry, {
      where: { ...(customerId ? { customerId } : {}), ...(action ? { action } : {}) },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
    });
  }
}
