import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditLogEntry } from '../entities/audit-log-entry.entity';

/** Filters of the list. */
export interface AuditQuery {
  customerId?: string;
  action?: string;
  limit: number;
}

/** Lists the audit log for the operator. */
@Injectable()
export class AuditOperatorService {
  constructor(private readonly dataSource: DataSource) {}

  list({ customerId, action, limit }: AuditQuery): Promise<AuditLogEntry[]> {
    return this.dataSource.manager.find(AuditLogEntry, {
      where: { ...(customerId ? { customerId } : {}), ...(action ? { action } : {}) },
      order: { id: 'DESC' },
      take: limit,
    });
  }
}
